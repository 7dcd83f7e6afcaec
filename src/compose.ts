import * as path from 'node:path';
import * as vscode from 'vscode';
import * as z from 'zod';
import { SessionThreads } from './acp/common/draft/sessionThreads';
import { lookupHere } from './acp/node/process/commandLookup';
import { AcpFeature } from './acp/vscode/acpFeature';
import { ampPolicyId } from './amp/common/ampPolicy';
import { ampCommand } from './amp/node/ampCommand';
import { findInstalledAmp } from './amp/node/findAmp';
import { AmpFeature } from './amp/vscode/ampFeature';
import { AllBackends } from './session/common/allBackends';
import { reportViolations } from './session/common/normalize/grammarWatch';
import { AmplifierFeature } from './amplifier/vscode/amplifierFeature';
import { ServeFeature } from './amplifier/vscode/serveFeature';
import { SessionEffects } from './amplifier/vscode/sessionEffects';
import { withDeadline } from './base/common/async';
import { DisposableStore } from './base/common/disposable';
import { messageOf } from './base/common/errors';
import { LazyFeature, StatusBoard, type Feature, type RunningFeature } from './base/common/feature';
import type { Logger } from './base/common/log';
import { systemClock } from './base/node/systemClock';
import type { RunningChat } from './chat/vscode/chatRoot';
import { LazyChat } from './chat/vscode/lazyChat';
import { RecentFiles } from './chat/vscode/recentFiles';
import { WorkspaceConsent } from './consent/vscode/workspaceConsent';
import { ContextFeature } from './context/vscode/contextFeature';
import { GuardedEditor } from './editor/common/guardedEditor';
import { EditorAdapter } from './editor/vscode/editorAdapter';
import { decode } from './editor/vscode/encodings';
import { ProtectedSetting } from './editor/node/protectedSetting';
import { commandIds, settingIds } from './manifest';
import { timedRuleGlobs } from './permissions/node/timedRuleGlobs';
import { StandingPermissions } from './permissions/common/standingPermissions';
import { UserRules } from './permissions/common/rules/userRules';
import { PermissionsController } from './permissions/vscode/permissionsController';
import { PolicySetting } from './permissions/vscode/policySetting';
import { Commands } from './platform/vscode/commands';
import type { FeatureContext } from './platform/vscode/featureContext';
import { ChannelLogger } from './platform/vscode/log';
import { Settings } from './platform/vscode/settings';
import { StatusView } from './platform/vscode/statusView';
import { TrafficView } from './platform/vscode/trafficView';
import { LazyThreads, type RunningThreads } from './threads/vscode/lazyThreads';
import { ToolsFeature } from './tools/vscode/toolsFeature';
import { TrafficLog } from './wire/common/traffic';

/** VS Code gives an extension about five seconds to deactivate; what is slower is cut off. */
const stopTimeoutMs = 3000;
const maxTrafficEntries = 2000;

export interface App {
  start(): Promise<void>;
  /** Ends processes, sockets and lockfiles, then disposes everything. Never rejects. */
  stop(): Promise<void>;
}

/** The composition root: builds every part, hands each exactly what it uses, and knows in which order they end. */
export function compose(context: vscode.ExtensionContext): App {
  const activatedAt = performance.now();
  const clock = systemClock;
  const store = new DisposableStore();
  const channel = store.add(vscode.window.createOutputChannel('Backline', { log: true }));
  const log = new ChannelLogger(channel);
  store.add(reportViolations((message) => log.error(message)));
  const onListenerError = (error: unknown): void => log.error('a listener failed', error);

  const settings = store.add(new Settings(log.child('settings')));
  const commands = store.add(new Commands(log.child('commands')));
  const status = store.add(new StatusBoard(onListenerError));
  const statusView = store.add(new StatusView(status, commands));
  const traffic = new TrafficLog(() => clock.now(), maxTrafficEntries, onListenerError);
  const trafficView = store.add(new TrafficView(traffic, commands, clock));
  const adapter = store.add(
    new EditorAdapter({
      log: log.child('editor'),
      excludePatterns: () => settings.exclude(),
      onDidChangeExclude: (listener) => settings.onDidChangeOf([settingIds.exclude], listener),
      isTrusted: () => vscode.workspace.isTrusted,
      clock,
    }),
  );
  const protectedSetting = store.add(
    new ProtectedSetting({
      log: log.child('editor'),
      patterns: () => settings.protectedFiles(),
      onDidChange: (listener) => settings.onDidChangeOf([settingIds.protectedFiles], listener),
    }),
  );
  const editor = new GuardedEditor(adapter, () => protectedSetting.files);
  const { version } = z.object({ version: z.string() }).parse(context.extension.packageJSON);
  const shared = (area: string): FeatureContext => ({ log: log.child(area), status, commands, settings, clock });
  const start = <Running extends RunningFeature>(feature: Feature<Running>): Promise<Running> =>
    startFeature(feature, { status, log, activatedAt });

  const policy = store.add(new PolicySetting(settings, editor, log.child('permissions')));
  const standing = store.add(
    new StandingPermissions({
      rules: new UserRules(context.globalState, clock, log.child('permissions')),
      policy: () => policy.current,
      onListenerError,
      globs: timedRuleGlobs(log.child('permissions')),
    }),
  );
  const consent = store.add(
    new WorkspaceConsent({ clock, commands, log: log.child('consent'), status, memento: context.workspaceState }),
  );
  const threads = store.add(new SessionThreads(clock, log.child('threads')));
  const acp: AcpFeature = new AcpFeature({
    ...shared('acp'),
    threadSources: [
      threads,
      {
        getThreads: async () => (await ampThreads.use()).peerThreads.getThreads(),
        getThreadEntries: async (id) => (await ampThreads.use()).peerThreads.getThreadEntries(id),
      },
    ],
    ownMcpServers: async () => {
      const server = await tools.mcpServer();
      return server ? { [server.name]: { type: 'http', url: server.url, headers: server.headers } } : {};
    },
    // The conversations know the agents, and the agents tell them before they write: without the chat there are none.
    writeObserver: {
      beforeWrite: async (writer, file) => await chat.loaded?.beforeWrite(writer, file),
      afterWrite: async (writer, file) => await chat.loaded?.afterWrite(writer, file),
    },
    editor,
    traffic,
    standing,
    demoAgentFile: context.asAbsolutePath('dist/demo-agent.js'),
    demoStateFolder: path.join(context.globalStorageUri.fsPath, 'demo-agent'),
    agentReaperFile: context.asAbsolutePath('dist/agent-reaper.js'),
    version,
    consent: consent.consent,
  });
  const permissions = store.add(
    new PermissionsController({
      ...shared('permissions'),
      standing,
      agents: acp.backends,
      others: [{ id: ampPolicyId, title: 'Amp', kinds: ['read', 'edit'] }],
      editor,
      extensionUri: context.extensionUri,
    }),
  );
  const effects = store.add(new SessionEffects(editor, log.child('sessions')));
  const serve = new ServeFeature({ ...shared('serve'), backends: acp.backends, editor, version });
  const amplifier = new AmplifierFeature({
    ...shared('amplifier'),
    editor,
    traffic,
    secrets: context.secrets,
    memento: context.globalState,
    served: serve,
    isReported: (path, problem) => effects.isReported(path, problem),
  });
  const backends = store.add(
    new AllBackends(
      [amplifier.backends, acp.backends],
      (session) => {
        effects.follow(session);
        threads.follow(session);
      },
      log.child('backends'),
    ),
  );

  const contextItems: ContextFeature = new ContextFeature({
    ...shared('context'),
    editor,
    secrets: context.secrets,
    memento: context.globalState,
    workerFile: context.asAbsolutePath('dist/context-worker.js'),
    remoteFolder: path.join(context.globalStorageUri.fsPath, 'providers'),
    traffic,
    consent: consent.consent,
  });
  const tools: ToolsFeature = new ToolsFeature({
    ...shared('tools'),
    editor,
    providers: [contextItems.toolProvider],
    version,
  });
  const recent = new RecentFiles();
  const startChat = async (): Promise<RunningChat> => {
    const { ChatRoot } = await import('./chat/vscode/chatRoot');
    const { WindowChanges } = await import('./changes/vscode/windowChanges');
    const changes = new WindowChanges({
      ...shared('changes'),
      folders: () => editor.folders.map((folder) => folder.path),
      storageFolder: context.storageUri && path.join(context.storageUri.fsPath, 'checkpoints'),
      excludes: (file, relativePath) => adapter.excludes(file, relativePath),
      decode,
    });
    const root = await ChatRoot.open({
      ...shared('chat'),
      checkpoints: changes.checkpoints,
      backends,
      editor,
      mentionSources: [contextItems.mentions],
      chipSources: [amplifier.chips, contextItems.chips],
      recent,
      storageFolder: context.globalStorageUri.fsPath,
      // A window without a folder has no storage of its own.
      olderFolder: path.join((context.storageUri ?? context.globalStorageUri).fsPath, 'chats'),
      workspaceState: context.workspaceState,
      globalState: context.globalState,
      extensionUri: context.extensionUri,
    });
    const running = await root.start();
    changes.showReview(running.review);
    return {
      ...running,
      stop: async () => {
        await running.stop?.();
        await changes.stop();
      },
      dispose: () => {
        changes.dispose();
        running.dispose();
      },
    };
  };
  const chat = new LazyFeature(() => start({ id: 'chat', title: 'Chat', start: startChat }));
  const startThreads = async (): Promise<RunningThreads> => {
    const { ThreadsFeature } = await import('./threads/vscode/threadsFeature');
    return await new ThreadsFeature({
      ...shared('threads'),
      editor,
      findAmp: async () => (await findInstalledAmp())?.file,
      findCommand: async () => await ampCommand(await findInstalledAmp(), lookupHere),
      startChat: async (digest, folder) => (await chat.use()).beginWith(digest, folder),
      workspaceState: context.workspaceState,
      globalState: context.globalState,
      storageFolder: context.globalStorageUri.fsPath,
      distFolder: vscode.Uri.joinPath(context.extensionUri, 'dist'),
    }).start();
  };
  const ampThreads = new LazyFeature(() => start({ id: 'threads', title: 'Amp threads', start: startThreads }));

  const features: readonly Feature[] = [
    new AmpFeature({
      ...shared('amp'),
      editor,
      policy: () => standing.policyOf(ampPolicyId),
      traffic,
      memento: context.workspaceState,
      storageFolder: context.globalStorageUri.fsPath,
      pluginFile: context.asAbsolutePath('dist/amp/backline-diagnostics.ts'),
      version,
    }),
    acp,
    amplifier,
    contextItems,
    tools,
    new LazyChat({ ...shared('chat'), chat, recent }),
    new LazyThreads({ ...shared('threads'), threads: ampThreads, workspaceState: context.workspaceState }),
    serve,
  ];
  const running: RunningFeature[] = [];

  return {
    async start() {
      store.add(commands.handle(commandIds.showLog, () => channel.show(true)));
      commands.start();
      settings.start();
      statusView.start();
      trafficView.start();
      protectedSetting.start();
      adapter.start();
      policy.start();
      permissions.start();
      consent.start();
      backends.start();
      // One after the other: the CLI may be waiting for the first one's lockfile already.
      for (const feature of features) {
        // One that cannot start has said so, and leaves the others alone.
        const started = await start(feature).catch(() => undefined);
        if (started) running.push(store.add(started));
      }
    },
    async stop() {
      const features = running.map(async (feature) => await feature.stop?.());
      const stopping = Promise.allSettled([...features, standing.flush()]);
      await withDeadline(clock, 'stopping Backline', stopTimeoutMs, () => stopping).catch((error: unknown) =>
        log.error('could not stop in time', error),
      );
      store.dispose();
    },
  };
}

interface StartReports {
  readonly status: StatusBoard;
  readonly log: Logger;
  readonly activatedAt: number;
}

/** What does not start says so on the status board and in the log. @throws what the feature throws */
async function startFeature<Running extends RunningFeature>(
  feature: Feature<Running>,
  { status, log, activatedAt }: StartReports,
): Promise<Running> {
  const { id, title } = feature;
  status.set({ id, title, state: 'starting', summary: 'Starting…' });
  try {
    const running = await feature.start();
    log.info(`${id} started ${Math.round(performance.now() - activatedAt)} ms after activation`);
    return running;
  } catch (error) {
    log.error(`${id} could not start`, error);
    status.set({ id, title, state: 'failed', summary: messageOf(error) });
    throw error;
  }
}
