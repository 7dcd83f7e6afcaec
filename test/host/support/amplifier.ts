import { answeringConsent } from '../../fake/answeringConsent';
import { CombinedBackends } from '../../../src/session/common/combinedBackends';
import type { BackendSession, SessionBackend } from '../../../src/session/common/sessionBackend';
import { AmplifierFeature } from '../../../src/amplifier/vscode/amplifierFeature';
import { SessionProblemsAndProgress } from '../../../src/amplifier/vscode/sessionProblemsAndProgress';
import { Emitter, type Event } from '../../../src/base/common/event';
import { StatusBoard, type FeatureStatus, type RunningFeature } from '../../../src/base/common/feature';
import { systemClock } from '../../../src/base/node/systemClock';
import { settingIds } from '../../../src/manifest';
import { Commands } from '../../../src/platform/vscode/commands';
import { createNoticeBoard } from '../../../src/platform/vscode/messages';
import { Settings } from '../../../src/platform/vscode/settings';
import { TrafficLog } from '../../../src/wire/common/traffic';
import { MemoryLogger } from '../../unit/amplifier/node/clientHarness';
import { AdapterUnderTest } from './editorAdapter';
import { inWorkspace, setSetting } from './workspace';
import { OutgoingHttp } from '../../../src/wire/node/outgoingHttp';

const throwIt = (error: unknown): never => {
  throw error;
};

/** The Amplifier feature as compose.ts joins it, in the real VS Code, with secrets and state that a test can look into. */
export class AmplifierUnderTest {
  readonly log = new MemoryLogger();
  readonly secrets = new Map<string, string>();
  readonly state = new Map<string, unknown>();
  readonly editor = new AdapterUnderTest();
  readonly traffic = new TrafficLog(() => Date.now(), 1000, throwIt);
  readonly consent = answeringConsent('ask');
  readonly feature: AmplifierFeature;
  readonly backends: CombinedBackends;
  /** Where the window serves its own agents: a test says it. */
  readonly serving = new Emitter<void>(throwIt);
  readonly served: { url: URL | undefined; readonly onDidChange: Event<void> } = {
    url: undefined,
    onDidChange: this.serving.event,
  };
  private readonly board = new StatusBoard(throwIt);
  private readonly settings = new Settings(this.log);
  private readonly problemsAndProgress = new SessionProblemsAndProgress(this.editor.adapter, this.log);
  private running: RunningFeature | undefined;

  constructor() {
    const { log, secrets, state } = this;
    this.feature = new AmplifierFeature({
      editor: this.editor.adapter,
      served: this.served,
      isReported: (path, problem) => this.problemsAndProgress.isReported(path, problem),
      consent: this.consent,
      isWorking: () => false,
      log,
      status: this.board,
      traffic: this.traffic,
      commands: new Commands(log),
      settings: this.settings,
      clock: systemClock,
      notices: createNoticeBoard(log),
      http: new OutgoingHttp(),
      secrets: {
        get: (name) => Promise.resolve(secrets.get(name)),
        store: (name, value) => Promise.resolve(void secrets.set(name, value)),
        delete: (name) => Promise.resolve(void secrets.delete(name)),
      },
      memento: {
        get: (name) => state.get(name),
        update: (name, value) => Promise.resolve(void state.set(name, value)),
      },
    });
    this.backends = new CombinedBackends(
      [this.feature.backends],
      (session) => this.problemsAndProgress.follow(session),
      log,
    );
  }

  async start(): Promise<void> {
    this.settings.start();
    this.running = await this.feature.start();
    this.backends.start();
  }

  get status(): FeatureStatus | undefined {
    return this.board.featureStatuses[0];
  }

  /** As the user does who opens the list of statuses. */
  look(): void {
    this.board.requestRefresh();
  }

  async openBackend(): Promise<SessionBackend> {
    return await this.backends.open('amplifier');
  }

  async openSession(): Promise<BackendSession> {
    return await (await this.openBackend()).createSession({ cwd: inWorkspace() });
  }

  async dispose(): Promise<void> {
    await this.running?.stop?.();
    this.running?.dispose();
    for (const part of [this.backends, this.problemsAndProgress, this.settings, this.board, this.editor])
      part.dispose();
  }
}

/** Into the settings of the workspace; undefined takes them out. */
export async function setServer(url: URL | undefined): Promise<void> {
  await setSetting(settingIds.amplifierHost, url?.hostname);
  await setSetting(settingIds.amplifierPort, url ? Number(url.port) : undefined);
}
