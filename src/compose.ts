import { homedir } from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { SessionThreads } from './acp/common/draft/sessionThreads';
import { lookupCommandInOwnEnvironment } from './acp/node/process/commandLookup';
import { AcpFeature } from './acp/vscode/acpFeature';
import { ampPolicyId } from './amp/common/ampPolicy';
import { ampCommand } from './amp/node/ampCommand';
import { findInstalledAmp } from './amp/node/findAmp';
import { AgentsFeature } from './agents/vscode/agentsFeature';
import { AmpFeature } from './amp/vscode/ampFeature';
import { WorkingBackends } from './session/common/workingBackends';
import { CombinedBackends } from './session/common/combinedBackends';
import { AmplifierFeature } from './amplifier/vscode/amplifierFeature';
import { ServeFeature } from './amplifier/vscode/serveFeature';
import { SessionProblemsAndProgress } from './amplifier/vscode/sessionProblemsAndProgress';
import { withDeadline } from './base/common/async';
import { LazyFeature, type Feature, type RunningFeature } from './base/common/feature';
import { hostSystem } from './base/node/hostSystem';
import type { RunningChatRoot } from './chat/vscode/chatRoot';
import { checkpointStorageIn, hasInterruptedRestoreIn } from './changes/node/storage/checkpointPlaces';
import { LazyChat } from './chat/vscode/lazyChat';
import { RecentFiles } from './chat/vscode/recentFiles';
import { DraftCount } from './comments/common/draftCount';
import type { RunningCommentsFeature } from './comments/vscode/commentsFeature';
import { LazyComments } from './comments/vscode/lazyComments';
import { WorkspaceConsent } from './consent/vscode/workspaceConsent';
import { ContextFeature } from './context/vscode/contextFeature';
import { decodeTextOrThrow } from './editor/vscode/encodings';
import { OpenQuestionLimiter } from './permissions/common/openQuestionLimiter';
import { mcpClientPolicyId } from './permissions/common/policy/policyKinds';
import { titleOfClient, WindowToolCaller } from './permissions/vscode/windowToolCaller';
import { PermissionsPage } from './permissions/vscode/permissionsPage';
import { createServices, type Services } from './services';
import { StartingPointsFeature } from './startingPoints/vscode/startingPointsFeature';
import { LazyThreads, type RunningThreadsFeature } from './threads/vscode/lazyThreads';
import { mcpServerSetting } from './tools/common/clients/mcpServerSetting';
import { ToolsFeature } from './tools/vscode/toolsFeature';

/** VS Code gives extensions about five seconds to deactivate, so this is shorter. */
const stopTimeoutMs = 3000;

export interface App {
  start(): Promise<void>;
  /** Stops processes, closes sockets, removes lockfiles and disposes everything. Never rejects. */
  stop(): Promise<void>;
}

/** Composition root: creates all features, connects them and defines their order of disposal. */
export function compose(context: vscode.ExtensionContext): App {
  const services = createServices(context);
  const { clock, commands, contextFor, disposables, editor, log, settings, standing, startFeature, traffic, version } =
    services;
  const amp = new AmpFeature({
    ...contextFor('amp'),
    editor,
    policy: () => standing.policy().forAgent(ampPolicyId),
    traffic,
    memento: context.workspaceState,
    storageFolder: context.globalStorageUri.fsPath,
    pluginFile: context.asAbsolutePath('dist/amp/backline-diagnostics.ts'),
    version,
    onServing: () => log.info(`Amp's lockfile was written ${services.msSinceActivation()} ms after activation`),
  });
  const running: RunningFeature[] = [];
  const startAndKeep = async (feature: Feature): Promise<void> => {
    // `startFeature` has already reported the error.
    const started = await startFeature(feature).catch(() => undefined);
    if (started) running.push(disposables.add(started));
  };

  return {
    async start() {
      settings.start();
      // First, because the Amp CLI may be waiting. No client can connect before `backends.start()`: this is one turn of the event loop.
      await startAndKeep(amp);
      const { permissions, consent, backends, features } = createFeatures(context, services);
      commands.start();
      services.start();
      permissions.start();
      consent.start();
      backends.start();
      for (const feature of features) await startAndKeep(feature);
    },
    async stop() {
      const features = running.map(async (feature) => await feature.stop?.());
      const stopping = Promise.allSettled([...features, standing.rules.flush()]);
      await withDeadline(clock, 'stopping Backline', stopTimeoutMs, () => stopping).catch((error: unknown) =>
        log.error('could not stop in time', error),
      );
      disposables.dispose();
    },
  };
}

/** Creates the features besides Amp, and what connects them. */
function createFeatures(context: vscode.ExtensionContext, services: Services) {
  const { clock, contextFor, disposables, editor, log, onListenerError, standing, startFeature } = services;
  const { http, traffic, version } = services;
  const consent = disposables.add(new WorkspaceConsent({ ...contextFor('consent'), memento: context.workspaceState }));
  const mcpBridge = { runtime: process.execPath, file: context.asAbsolutePath('dist/mcp-bridge.js') };
  const threads = disposables.add(new SessionThreads(clock, log.child('threads')));
  const acp: AcpFeature = new AcpFeature({
    ...contextFor('acp'),
    threadSources: [
      threads,
      {
        getThreads: async () => (await ampThreads.getOrLoad()).peerThreads.getThreads(),
        getThreadEntries: async (id) => (await ampThreads.getOrLoad()).peerThreads.getThreadEntries(id),
      },
    ],
    windowMcpServers: async (transports, caller) => {
      const server = await tools.createMcpAddress(caller);
      return server ? { [server.name]: mcpServerSetting(server, transports, mcpBridge) } : {};
    },
    // Chat and agents depend on each other. Before the chat is loaded, there are no conversations.
    writeObserver: {
      beforeWrite: async (writer, file) => await chat.featureIfLoaded?.beforeWrite(writer, file),
      afterWrite: async (writer, file, replaced) => await chat.featureIfLoaded?.afterWrite(writer, file, replaced),
      afterFailedWrite: async (writer, file) => await chat.featureIfLoaded?.afterFailedWrite(writer, file),
      beginCommand: (writer) => chat.featureIfLoaded?.beginCommand(writer) ?? (() => undefined),
    },
    editor,
    http,
    traffic,
    standing,
    demoAgentFile: context.asAbsolutePath('dist/demo-agent.js'),
    demoStateFolder: path.join(context.globalStorageUri.fsPath, 'demo-agent'),
    agentReaperFile: context.asAbsolutePath('dist/agent-reaper.js'),
    version,
    consent: consent.consent,
    secrets: context.secrets,
    memento: context.globalState,
    isWorking: (agentId) => working.isWorking(agentId),
    onDidEndTurn: (listener) => working.onDidEndTurn(listener),
    installed: {
      onDidChange: (listener) => agents.onDidChange(listener),
      installedAgents: () => agents.installedAgents(),
    },
  });
  const working = disposables.add(new WorkingBackends(onListenerError));
  const agents: AgentsFeature = new AgentsFeature({
    ...contextFor('agents'),
    install: { ...acp.agentsPort.install, system: hostSystem, fetch: http.fetch },
    tryAgent: acp.agentsPort.install.tryAgent,
    backends: {
      onDidChange: (listener) => acp.agentsPort.onDidChange(listener),
      list: () => acp.agentsPort.list(),
      stateOf: (backendId) => acp.agentsPort.stateOf(backendId),
      backendIdOf: (agent) => acp.agentsPort.backendIdOf(agent),
      stop: (backendId) => acp.agentsPort.stop(backendId),
      isWorking: (backendId) => working.isWorking(backendId),
      onDidEndTurn: working.onDidEndTurn,
    },
    secrets: acp.agentSecrets,
    defaultFolder: () => editor.folders[0]?.path ?? homedir(),
    memento: context.globalState,
    storageFolder: path.join(context.globalStorageUri.fsPath, 'agents'),
    extensionUri: context.extensionUri,
  });
  const permissions = disposables.add(
    new PermissionsPage({
      ...contextFor('permissions'),
      standing,
      agents: acp.backends,
      otherAgents: [
        { id: ampPolicyId, title: 'Amp', kinds: ['read', 'edit'] },
        { id: mcpClientPolicyId, title: 'MCP clients outside VS Code', kinds: ['edit', 'run'] },
      ],
      editor,
      extensionUri: context.extensionUri,
    }),
  );
  const problemsAndProgress = disposables.add(new SessionProblemsAndProgress(editor, log.child('sessions')));
  const served = { backends: acp.backends, observeSession: working.follow };
  const serve = new ServeFeature({ ...contextFor('serve'), ...served, editor, version });
  const amplifier = new AmplifierFeature({
    ...contextFor('amplifier'),
    http,
    editor,
    traffic,
    secrets: context.secrets,
    memento: context.globalState,
    served: serve,
    isReported: (path, problem) => problemsAndProgress.isReported(path, problem),
    consent: consent.consent,
    isWorking: (backendId) => working.isWorking(backendId),
  });
  const backends = disposables.add(
    new CombinedBackends(
      [amplifier.backends, acp.backends],
      (session, backendId) => {
        working.follow(session, backendId);
        problemsAndProgress.follow(session);
        threads.recordEventsOf(session);
        chat.featureIfLoaded?.followSession(session);
      },
      log.child('backends'),
    ),
  );
  const contextItems: ContextFeature = new ContextFeature({
    ...contextFor('context'),
    http,
    editor,
    secrets: context.secrets,
    memento: context.globalState,
    workerFile: context.asAbsolutePath('dist/context-worker.js'),
    remoteFolder: path.join(context.globalStorageUri.fsPath, 'providers'),
    traffic,
    consent: consent.consent,
  });
  const questions = new OpenQuestionLimiter();
  const callerDeps = { standing, editor, log: log.child('tools'), questions };
  const tools: ToolsFeature = new ToolsFeature({
    ...contextFor('tools'),
    editor,
    providers: [contextItems.toolProvider],
    version,
    createCaller: (clientName) => new WindowToolCaller(titleOfClient(clientName), callerDeps),
    chatCaller: new WindowToolCaller('VS Code’s chat', callerDeps),
    sharedFolder: path.join(context.globalStorageUri.fsPath, 'tools'),
    bridgeFile: mcpBridge.file,
  });
  const recent = new RecentFiles();
  const folders = (): string[] => editor.folders.map((folder) => folder.path);
  const checkpointStorage = checkpointStorageIn(context.globalStorageUri.fsPath);
  const startChat = async (): Promise<RunningChatRoot> => {
    const { ChatRoot } = await import('./chat/vscode/chatRoot');
    const { WindowChanges } = await import('./changes/vscode/windowChanges');
    const changes = new WindowChanges({
      ...contextFor('changes'),
      folders,
      ...checkpointStorage,
      reviewedFolder: path.join(context.globalStorageUri.fsPath, 'reviewed'),
      excludes: (file, relativePath) => editor.excludes(file, relativePath),
      decode: decodeTextOrThrow,
    });
    const root = await ChatRoot.create({
      ...contextFor('chat'),
      checkpoints: changes.checkpoints,
      reviewed: changes.reviewed,
      backends,
      editor,
      mentionSources: [
        contextItems.mentions,
        {
          kind: 'comments',
          search: () => Promise.resolve([]),
          resolve: async ({ id }, _signal, conversation) => {
            const text = await (await lineComments.getOrLoad()).promptOf(id, conversation);
            return text === '' ? [] : [{ type: 'text', title: 'Comments', text }];
          },
          noteOutcome: async ({ id }, conversation, outcome) =>
            (await lineComments.getOrLoad()).noteOutcome(id, conversation, outcome),
        },
      ],
      draftComments: draftCount,
      showFindings: async (found) => (await lineComments.getOrLoad()).addFindings(found),
      onDidSpeak: (turn) => void comments.takeAnswer(turn),
      chipSources: [amplifier.chips, contextItems.chipSource],
      recentFiles: recent,
      sources: [threadsView.conversations],
      storageFolder: context.globalStorageUri.fsPath,
      olderFolder: path.join((context.storageUri ?? context.globalStorageUri).fsPath, 'chats'),
      workspaceState: context.workspaceState,
      globalState: context.globalState,
      extensionUri: context.extensionUri,
    });
    const running = await root.start();
    changes.showReview(running.review);
    const followRenames = running.review.onDidChange(
      () => void lineComments.featureIfLoaded?.followRenames(running.review.formerPaths),
    );
    return {
      ...running,
      stop: async () => {
        await running.stop?.();
        await changes.stop();
      },
      dispose: () => {
        followRenames.dispose();
        changes.dispose();
        running.dispose();
      },
    };
  };
  const chat = new LazyFeature(() => startFeature({ id: 'chat', title: 'Chat', start: startChat }));
  const findAmp = async (): Promise<string | undefined> => (await findInstalledAmp())?.file;
  const startThreads = async (): Promise<RunningThreadsFeature> => {
    const { ThreadsFeature } = await import('./threads/vscode/threadsFeature');
    return await new ThreadsFeature({
      ...contextFor('threads'),
      editor,
      findAmp,
      findCommand: async () => await ampCommand(await findInstalledAmp(), lookupCommandInOwnEnvironment),
      startChat: async (digest, folder) => (await chat.getOrLoad()).startConversationWith({ texts: [digest], folder }),
      workspaceState: context.workspaceState,
      globalState: context.globalState,
      storageFolder: context.globalStorageUri.fsPath,
      distFolder: vscode.Uri.joinPath(context.extensionUri, 'dist'),
    }).start();
  };
  const ampThreads = new LazyFeature(() => startFeature({ id: 'threads', title: 'Amp threads', start: startThreads }));
  const threadsView = new LazyThreads({
    ...contextFor('threads'),
    threads: ampThreads,
    workspaceState: context.workspaceState,
    findAmp,
  });
  const draftCount = disposables.add(new DraftCount(onListenerError));
  const startLineComments = async (): Promise<RunningCommentsFeature> => {
    const { startComments } = await import('./comments/vscode/commentsFeature');
    return await startComments({
      ...contextFor('comments'),
      controller: comments.controller,
      editor,
      chat: {
        attach: async (attachment, paths) => (await chat.getOrLoad()).attach(attachment, paths),
        send: async (attachment, conversation) => (await chat.getOrLoad()).send(attachment, conversation),
      },
      draftCount,
      folder: await comments.folder(),
    });
  };
  const lineComments = new LazyFeature(() =>
    startFeature({ id: 'comments', title: 'Comments', start: startLineComments }),
  );
  const comments = new LazyComments({
    ...contextFor('comments'),
    comments: lineComments,
    editor,
    storageFolder: context.globalStorageUri.fsPath,
  });
  const features: readonly Feature[] = [
    acp,
    agents,
    amplifier,
    contextItems,
    tools,
    new LazyChat({
      ...contextFor('chat'),
      chat,
      recent,
      storageFolder: context.globalStorageUri.fsPath,
      folders,
      hasInterruptedRestore: () => hasInterruptedRestoreIn(checkpointStorage, folders()),
    }),
    threadsView,
    comments,
    new StartingPointsFeature({
      ...contextFor('startingPoints'),
      editor,
      chat: {
        start: async (point, options) => (await chat.getOrLoad()).startConversationWith({ ...point, ...options }),
      },
      memento: context.workspaceState,
      agent: { ask: async (question) => (await chat.getOrLoad()).askInBackground(question) },
    }),
    serve,
  ];
  return { permissions, consent, backends, features };
}
