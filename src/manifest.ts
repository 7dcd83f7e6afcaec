// All ids that package.json declares. A test ensures that they are equal.

export const commandIds = {
  showStatus: 'backline.showStatus',
  showTraffic: 'backline.showTraffic',
  showLog: 'backline.showLog',
  reviewWorkspace: 'backline.reviewWorkspace',
  ampRestart: 'backline.amp.restart',
  ampOpenTerminal: 'backline.amp.openTerminal',
  ampAddSelection: 'backline.amp.addSelection',
  ampInstallDiagnosticsPlugin: 'backline.amp.installDiagnosticsPlugin',
  acpRestartAgent: 'backline.acp.restartAgent',
  acpSignIn: 'backline.acp.signIn',
  acpSignOut: 'backline.acp.signOut',
  acpManageKeys: 'backline.acp.manageKeys',
  acpManageProviders: 'backline.acp.manageProviders',
  acpForgetMcpInputs: 'backline.acp.forgetMcpInputs',
  agentsShow: 'backline.agents.show',
  permissionsShow: 'backline.permissions.show',
  amplifierSetApiKey: 'backline.amplifier.setApiKey',
  amplifierSetToken: 'backline.amplifier.setToken',
  amplifierChooseContext: 'backline.amplifier.chooseContext',
  amplifierServe: 'backline.amplifier.serve',
  chatOpen: 'backline.chat.open',
  chatNew: 'backline.chat.new',
  chatStop: 'backline.chat.stop',
  chatFollow: 'backline.chat.follow',
  chatUnfollow: 'backline.chat.unfollow',
  chatPickBackend: 'backline.chat.pickBackend',
  chatAddSelection: 'backline.chat.addSelection',
  chatAddFile: 'backline.chat.addFile',
  chatShowSessions: 'backline.chat.showSessions',
  chatFind: 'backline.chat.find',
  chatAllow: 'backline.chat.allow',
  chatDeny: 'backline.chat.deny',
  chatFocusApproval: 'backline.chat.focusApproval',
  chatOpenInTab: 'backline.chat.openInTab',
  chatExport: 'backline.chat.export',
  chatRename: 'backline.chat.rename',
  chatFork: 'backline.chat.fork',
  chatLocateFolder: 'backline.chat.locateFolder',
  chatDelete: 'backline.chat.delete',
  chatRestore: 'backline.chat.restore',
  chatUndoRestore: 'backline.chat.undoRestore',
  chatViewFind: 'backline.chat.view.find',
  chatViewOpenInTab: 'backline.chat.view.openInTab',
  chatViewExport: 'backline.chat.view.export',
  chatViewShowSessions: 'backline.chat.view.showSessions',
  chatViewRename: 'backline.chat.view.rename',
  chatViewFork: 'backline.chat.view.fork',
  chatViewDelete: 'backline.chat.view.delete',
  chatTabShowSessions: 'backline.chat.tab.showSessions',
  chatTabFind: 'backline.chat.tab.find',
  chatTabRename: 'backline.chat.tab.rename',
  chatTabFork: 'backline.chat.tab.fork',
  chatTabExport: 'backline.chat.tab.export',
  chatTabDelete: 'backline.chat.tab.delete',
  chatApplyCode: 'backline.chat.applyCode',
  chatDiscardCode: 'backline.chat.discardCode',
  conversationsShow: 'backline.conversations.show',
  conversationsOpenInTab: 'backline.conversations.openInTab',
  conversationsSearch: 'backline.conversations.search',
  conversationsNextNeedsInput: 'backline.conversations.nextNeedsInput',
  reviewOpen: 'backline.review.open',
  reviewSincePrompt: 'backline.review.sincePrompt',
  reviewOpenFile: 'backline.review.openFile',
  reviewNext: 'backline.review.next',
  reviewPrevious: 'backline.review.previous',
  reviewKeepHunk: 'backline.review.keepHunk',
  reviewUndoHunk: 'backline.review.undoHunk',
  reviewKeepFile: 'backline.review.keepFile',
  reviewUndoFile: 'backline.review.undoFile',
  reviewUndoShown: 'backline.review.undoShown',
  reviewKeepAll: 'backline.review.keepAll',
  reviewUndoAll: 'backline.review.undoAll',
  threadsOpen: 'backline.threads.open',
  threadsSearch: 'backline.threads.search',
  threadsRefresh: 'backline.threads.refresh',
  threadsFilter: 'backline.threads.filter',
  threadsClearFilters: 'backline.threads.clearFilters',
  threadsShowAll: 'backline.threads.showAll',
  threadsShowWorkspace: 'backline.threads.showWorkspace',
  threadsGroupByDay: 'backline.threads.groupByDay',
  threadsGroupByFolder: 'backline.threads.groupByFolder',
  threadsOpenFile: 'backline.threads.openFile',
  threadsFind: 'backline.threads.find',
  threadsExport: 'backline.threads.export',
  threadsContinueInAmp: 'backline.threads.continueInAmp',
  threadsContinueInChat: 'backline.threads.continueInChat',
  threadsCopyLink: 'backline.threads.copyLink',
  threadsCopyPath: 'backline.threads.copyPath',
  threadsCopyId: 'backline.threads.copyId',
  threadsReveal: 'backline.threads.reveal',
  contextShowItems: 'backline.context.showItems',
  contextToggle: 'backline.context.toggle',
  contextRetry: 'backline.context.retry',
  contextAllow: 'backline.context.allow',
  contextSetSecret: 'backline.context.setSecret',
  contextShowLog: 'backline.context.showLog',
  toolsCopyConfiguration: 'backline.tools.copyConfiguration',
} as const;

export type CommandId = (typeof commandIds)[keyof typeof commandIds];

export const viewIds = {
  chat: 'backline.chat',
  /** Replaces the chat view in VS Code versions in which extensions cannot add views to the secondary side bar. */
  chatInSideBar: 'backline.chatInSideBar',
  conversations: 'backline.conversations',
  threads: 'backline.threads',
} as const;

/** Context keys for `when` clauses in package.json. */
export const contextKeys = {
  /** Whether an approval is pending. */
  chatQuestionWaits: 'backline.chat.questionWaits',
  /** Whether the chat is in the primary side bar, because extensions cannot add views to the secondary one. */
  chatIsInSideBar: 'backline.chat.isInSideBar',
  /** Whether Follow is on: files that agents read and edit are opened. */
  chatIsFollowing: 'backline.chat.isFollowing',
  /** Whether there are changes of agents that the user has not reviewed. */
  reviewHasChanges: 'backline.review.hasChanges',
  /** `all` or `some` if the active editor is the multi-file diff editor of agent changes. */
  reviewShown: 'backline.review.shown',
  /** Whether the active editor is a multi-file diff editor with the changes of turns. */
  reviewTurnsShown: 'backline.review.turnsShown',
  /** Files with changes of agents that the user has not reviewed: an object whose keys are the paths. */
  reviewFiles: 'backline.review.files',
} as const;

/** View types of webview panels. */
export const panelTypes = {
  chat: 'backline.chatTab',
  conversations: 'backline.conversationsTab',
  thread: 'backline.thread',
  permissions: 'backline.permissionsTab',
  agents: 'backline.agentsTab',
} as const;

/** URI schemes of virtual documents. */
export const textSchemes = {
  chat: 'backline-chat',
  proposedCode: 'backline-apply',
  /** The text of files before the changes that the user has not reviewed. */
  baseline: 'backline-baseline',
  thread: 'backline-thread-text',
} as const;

export const settingIds = {
  exclude: 'backline.exclude',
  protectedFiles: 'backline.protectedFiles',
  ampEnabled: 'backline.amp.enabled',
  ampPortRange: 'backline.amp.portRange',
  acpAgents: 'backline.acp.agents',
  agentsRegistry: 'backline.agents.registry',
  agentsAutoUpdate: 'backline.agents.autoUpdate',
  permissions: 'backline.permissions',
  amplifierHost: 'amplifier.server.host',
  amplifierPort: 'amplifier.server.port',
  amplifierProfile: 'amplifier.profile',
  chatBackend: 'backline.chat.backend',
  chatNotifications: 'backline.chat.notifications',
  chatSound: 'backline.chat.sound',
  chatSaveBeforePrompt: 'backline.chat.saveBeforePrompt',
  reviewCodeLens: 'backline.review.codeLens',
  checkpointsEnabled: 'backline.checkpoints.enabled',
  checkpointsKeepDays: 'backline.checkpoints.keepDays',
  checkpointsMaxMegabytes: 'backline.checkpoints.maxMegabytes',
  threadsFolders: 'backline.threads.folders',
  toolsEnabled: 'backline.tools.enabled',
  toolsExternalClients: 'backline.tools.externalClients',
  contextEnabled: 'backline.context.enabled',
  contextProviders: 'backline.context.providers',
  contextCodeLens: 'backline.context.codeLens',
  contextDecoration: 'backline.context.decoration',
  contextHoverTimeoutMs: 'backline.context.hoverTimeoutMs',
} as const;

export type SettingId = (typeof settingIds)[keyof typeof settingIds];
