import * as vscode from 'vscode';
import { DisposableStore } from './base/common/disposable';
import { StatusBoard, type Feature, type RunningFeature } from './base/common/feature';
import { systemClock } from './base/node/systemClock';
import { ProtectedFilesSetting } from './editor/node/protection/protectedFilesSetting';
import { VsCodeEditor } from './editor/vscode/vscodeEditor';
import { commandIds, settingIds } from './manifest';
import { UserRules } from './permissions/common/rules/userRules';
import { StandingPermissions } from './permissions/common/standingPermissions';
import { PolicySetting } from './permissions/vscode/policySetting';
import { extensionVersion } from './platform/common/extensionVersion';
import { startWithReports } from './platform/common/startWithReports';
import { Commands } from './platform/vscode/commands';
import type { NoticeContext } from './platform/vscode/featureContext';
import { ChannelLogger } from './platform/vscode/log';
import { createNoticeBoard } from './platform/vscode/messages';
import { Settings } from './platform/vscode/settings';
import { StatusView } from './platform/vscode/statusView';
import { TrafficView } from './platform/vscode/trafficView';
import { reportGrammarViolations } from './session/common/normalize/grammarWatch';
import { TrafficLog } from './wire/common/traffic';
import { OutgoingHttp } from './wire/node/outgoingHttp';

const maxTrafficEntries = 2000;

export type Services = ReturnType<typeof createServices>;

/** Creates the services that features share. `disposables` owns them. */
export function createServices(context: vscode.ExtensionContext) {
  const activatedAt = performance.now();
  const msSinceActivation = (): number => Math.round(performance.now() - activatedAt);
  const clock = systemClock;
  const disposables = new DisposableStore();
  const channel = disposables.add(vscode.window.createOutputChannel('Backline', { log: true }));
  const log = new ChannelLogger(channel);
  disposables.add(reportGrammarViolations((message) => log.error(message)));
  const onListenerError = (error: unknown): void => log.error('a listener failed', error);
  const settings = disposables.add(new Settings(log.child('settings')));
  const http = new OutgoingHttp(() => settings.network().verifiesCertificates);
  const commands = disposables.add(new Commands(log.child('commands')));
  const status = disposables.add(new StatusBoard(onListenerError));
  const statusView = disposables.add(new StatusView(status, commands, clock));
  const traffic = new TrafficLog(() => clock.now(), maxTrafficEntries, onListenerError);
  const trafficView = disposables.add(new TrafficView(traffic, commands, clock));
  const protectedFiles = disposables.add(
    new ProtectedFilesSetting({
      log: log.child('editor'),
      patterns: () => settings.protectedFileGlobs(),
      onDidChange: (listener) => settings.onDidChangeOf([settingIds.protectedFiles], listener),
    }),
  );
  const editor = disposables.add(
    new VsCodeEditor({
      log: log.child('editor'),
      excludePatterns: () => settings.excludeGlobs(),
      onDidChangeExclude: (listener) => settings.onDidChangeOf([settingIds.exclude], listener),
      protectedFiles: () => protectedFiles.files,
      isTrusted: () => vscode.workspace.isTrusted,
      clock,
    }),
  );
  const version = extensionVersion(context.extension);
  const shared = { status, commands, settings, clock, notices: createNoticeBoard(log) };
  const contextFor = (area: string): NoticeContext => ({ log: log.child(area), ...shared });

  const policy = disposables.add(new PolicySetting(settings, editor, log.child('permissions')));
  const standing = disposables.add(
    new StandingPermissions(
      new UserRules(context.globalState, clock, log.child('permissions')),
      () => policy.policy,
      onListenerError,
    ),
  );

  return {
    clock,
    commands,
    contextFor,
    disposables,
    editor,
    http,
    log,
    onListenerError,
    settings,
    standing,
    status,
    traffic,
    version,
    msSinceActivation,
    startFeature: <Running extends RunningFeature>(feature: Feature<Running>): Promise<Running> =>
      startWithReports(feature, { status, log, msSinceActivation }),
    start(): void {
      disposables.add(commands.setHandler(commandIds.showLog, () => channel.show(true)));
      statusView.start();
      trafficView.start();
      protectedFiles.start();
      editor.start();
      policy.start();
    },
  };
}
