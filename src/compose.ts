import * as path from 'node:path';
import * as vscode from 'vscode';
import * as z from 'zod';
import { SessionThreads } from './acp/common/sessionThreads';
import { AcpFeature } from './acp/vscode/acpFeature';
import { findInstalledAmp } from './amp/node/findAmp';
import { AmpFeature } from './amp/vscode/ampFeature';
import { AllBackends } from './amplifier/common/allBackends';
import { AmplifierFeature } from './amplifier/vscode/amplifierFeature';
import { ServeFeature } from './amplifier/vscode/serveFeature';
import { SessionEffects } from './amplifier/vscode/sessionEffects';
import { withDeadline } from './base/common/async';
import { DisposableStore } from './base/common/disposable';
import { messageOf } from './base/common/errors';
import { LateFeature, StatusBoard, type Feature, type RunningFeature } from './base/common/feature';
import type { Logger } from './base/common/log';
import { systemClock } from './base/node/systemClock';
import type { ChatRoot } from './chat/vscode/chatRoot';
import { ContextFeature } from './context/vscode/contextFeature';
import { EditorAdapter } from './editor/vscode/editorAdapter';
import { commandIds, settingIds } from './manifest';
import { Commands } from './platform/vscode/commands';
import { ChannelLogger } from './platform/vscode/log';
import { Settings } from './platform/vscode/settings';
import { StatusView } from './platform/vscode/statusView';
import { TrafficView } from './platform/vscode/trafficView';
import type { ThreadsFeature } from './threads/vscode/threadsFeature';
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
  const store = new DisposableStore();
  const channel = store.add(vscode.window.createOutputChannel('Backline', { log: true }));
  const log = new ChannelLogger(channel);
  const onListenerError = (error: unknown): void => log.error('a listener failed', error);

  const settings = store.add(new Settings(log.child('settings')));
  const commands = store.add(new Commands(log.child('commands')));
  const status = store.add(new StatusBoard(onListenerError));
  const statusView = store.add(new StatusView(status, commands));
  const traffic = new TrafficLog(() => systemClock.now(), maxTrafficEntries, onListenerError);
  const trafficView = store.add(new TrafficView(traffic, commands, systemClock));
  const editor = store.add(
    new EditorAdapter({
      log: log.child('editor'),
      excludePatterns: () => settings.exclude(),
      onDidChangeExclude: (listener) =>
        settings.onDidChange((id) => {
          if (id === settingIds.exclude) listener();
        }),
      isTrusted: () => vscode.workspace.isTrusted,
      clock: systemClock,
    }),
  );
  const { version } = z.object({ version: z.string() }).parse(context.extension.packageJSON);

  const threads = store.add(new SessionThreads(systemClock, log.child('threads')));
  const acp: AcpFeature = new AcpFeature({
    threadSources: [
      threads,
      {
        getThreads: async () => (await ampThreads.loaded?.draftThreads.getThreads()) ?? [],
        getThreadEntries: async (id) => await ampThreads.loaded?.draftThreads.getThreadEntries(id),
      },
    ],
    ownMcpServers: async () => {
      const server = await contextItems.mcpServer();
      return server ? { [server.name]: { type: 'http', url: server.url, headers: server.headers } } : {};
    },
    // The conversations know the agents, and the agents tell them before they write.
    witness: {
      beforeWrite: async (writer, file) => await chat.loaded?.beforeWrite(writer, file),
      afterWrite: async (writer, file) => await chat.loaded?.afterWrite(writer, file),
    },
    editor,
    log: log.child('acp'),
    status,
    traffic,
    commands,
    settings,
    clock: systemClock,
    memento: context.globalState,
    demoAgentFile: context.asAbsolutePath('dist/demo-agent.js'),
    agentReaperFile: context.asAbsolutePath('dist/agent-reaper.js'),
    version,
  });
  const amplifier = new AmplifierFeature({
    editor,
    log: log.child('amplifier'),
    status,
    traffic,
    commands,
    settings,
    clock: systemClock,
    secrets: context.secrets,
    memento: context.globalState,
  });
  const effects = store.add(new SessionEffects(editor, log.child('sessions')));
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
    editor,
    log: log.child('context'),
    status,
    commands,
    settings,
    clock: systemClock,
    secrets: context.secrets,
    memento: context.globalState,
    workerFile: context.asAbsolutePath('dist/context-worker.js'),
    remoteFolder: path.join(context.globalStorageUri.fsPath, 'providers'),
    version,
  });
  const chat: LateFeature<ChatRoot> = new LateFeature<ChatRoot>({ id: 'chat', title: 'Chat' }, async () => {
    const { ChatRoot } = await import('./chat/vscode/chatRoot');
    return await ChatRoot.open({
      backends,
      editor,
      mentionSources: [contextItems.mentions],
      chipSources: [amplifier.chips, contextItems.chips],
      log: log.child('chat'),
      status,
      commands,
      settings,
      clock: systemClock,
      storageFolder: context.globalStorageUri.fsPath,
      // A window without a folder has no storage of its own.
      olderFolder: path.join((context.storageUri ?? context.globalStorageUri).fsPath, 'chats'),
      workspaceState: context.workspaceState,
      globalState: context.globalState,
      extensionUri: context.extensionUri,
    });
  });

  const ampThreads: LateFeature<ThreadsFeature> = new LateFeature<ThreadsFeature>(
    { id: 'threads', title: 'Amp threads' },
    async () => {
      const { ThreadsFeature } = await import('./threads/vscode/threadsFeature');
      return new ThreadsFeature({
        editor,
        findCommand: async () => {
          const amp = await findInstalledAmp();
          return amp && { file: amp.file, args: [] };
        },
        startChat: async (digest) => {
          if (!chat.loaded) throw new Error('The chat is not running. Show Status says why.');
          await chat.loaded.beginWith(digest);
        },
        log: log.child('threads'),
        status,
        commands,
        settings,
        clock: systemClock,
        workspaceState: context.workspaceState,
        globalState: context.globalState,
        storageFolder: context.globalStorageUri.fsPath,
        distFolder: vscode.Uri.joinPath(context.extensionUri, 'dist'),
      });
    },
  );

  const features: readonly Feature[] = [
    new AmpFeature({
      editor,
      log: log.child('amp'),
      status,
      traffic,
      commands,
      settings,
      clock: systemClock,
      memento: context.workspaceState,
      storageFolder: context.globalStorageUri.fsPath,
      pluginFile: context.asAbsolutePath('dist/amp/backline-diagnostics.ts'),
      version,
    }),
    acp,
    amplifier,
    contextItems,
    chat,
    ampThreads,
    new ServeFeature({
      backends: acp.backends,
      editor,
      log: log.child('serve'),
      status,
      commands,
      clock: systemClock,
      version,
    }),
  ];
  const running: RunningFeature[] = [];

  return {
    async start() {
      store.add(commands.handle(commandIds.showLog, () => channel.show(true)));
      commands.start();
      settings.start();
      statusView.start();
      trafficView.start();
      editor.start();
      backends.start();
      // One after the other: the CLI may be waiting for the first one's lockfile already.
      for (const feature of features) {
        const started = await startFeature(feature, status, log, activatedAt);
        if (!started) continue;
        store.add(started);
        running.push(started);
      }
    },
    async stop() {
      const stopping = Promise.allSettled(running.map(async (feature) => await feature.stop?.()));
      await withDeadline(systemClock, 'stopping Backline', stopTimeoutMs, () => stopping).catch((error: unknown) =>
        log.error('could not stop in time', error),
      );
      store.dispose();
    },
  };
}

/** A feature that cannot start says so on the status board and leaves the others alone. */
async function startFeature(
  feature: Feature,
  status: StatusBoard,
  log: Logger,
  activatedAt: number,
): Promise<RunningFeature | undefined> {
  const { id, title } = feature;
  status.set({ id, title, state: 'starting', summary: 'Starting…' });
  try {
    const running = await feature.start();
    log.info(`${id} started ${Math.round(performance.now() - activatedAt)} ms after activation`);
    return running;
  } catch (error) {
    log.error(`${id} could not start`, error);
    status.set({ id, title, state: 'failed', summary: messageOf(error) });
    return undefined;
  }
}
