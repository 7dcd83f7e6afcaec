/** Every id that package.json declares; a test holds the two to each other. */

export const commandIds = {
  showStatus: 'backline.showStatus',
  showTraffic: 'backline.showTraffic',
  showLog: 'backline.showLog',
  ampRestart: 'backline.amp.restart',
  ampOpenTerminal: 'backline.amp.openTerminal',
  ampAddSelection: 'backline.amp.addSelection',
  ampInstallDiagnosticsPlugin: 'backline.amp.installDiagnosticsPlugin',
  acpRestartAgent: 'backline.acp.restartAgent',
  acpSignIn: 'backline.acp.signIn',
  acpManageRules: 'backline.acp.manageRules',
  amplifierSetApiKey: 'backline.amplifier.setApiKey',
  amplifierSetToken: 'backline.amplifier.setToken',
  amplifierChooseContext: 'backline.amplifier.chooseContext',
  amplifierServe: 'backline.amplifier.serve',
  chatOpen: 'backline.chat.open',
  chatNew: 'backline.chat.new',
  chatStop: 'backline.chat.stop',
  chatPickBackend: 'backline.chat.pickBackend',
  chatAddSelection: 'backline.chat.addSelection',
  chatAddFile: 'backline.chat.addFile',
  chatShowSessions: 'backline.chat.showSessions',
  chatFind: 'backline.chat.find',
  chatFocusApproval: 'backline.chat.focusApproval',
  chatOpenInTab: 'backline.chat.openInTab',
  chatExport: 'backline.chat.export',
  chatApplyCode: 'backline.chat.applyCode',
  chatDiscardCode: 'backline.chat.discardCode',
} as const;

export type CommandId = (typeof commandIds)[keyof typeof commandIds];

export const settingIds = {
  exclude: 'backline.exclude',
  ampEnabled: 'backline.amp.enabled',
  ampPortRange: 'backline.amp.portRange',
  acpAgents: 'backline.acp.agents',
  amplifierHost: 'amplifier.server.host',
  amplifierPort: 'amplifier.server.port',
  chatBackend: 'backline.chat.backend',
} as const;

export type SettingId = (typeof settingIds)[keyof typeof settingIds];
