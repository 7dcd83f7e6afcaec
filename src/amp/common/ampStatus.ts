import { countWithNoun } from '../../base/common/text/countWithNoun';
import { manageTrustAction, openSettingsAction } from '../../platform/common/statusActions';
import type { FeatureStatus, StatusAction } from '../../base/common/feature';
import { commandIds } from '../../manifest';
import type { FailureCounts } from './failureRateMonitor';

export type AmpState =
  | { readonly kind: 'off' }
  | { readonly kind: 'starting' }
  | {
      readonly kind: 'serving';
      readonly port: number;
      readonly clientCount: number;
      readonly failureCounts?: FailureCounts;
    }
  /** The server could not be started. `message` explains why and what to do. */
  | { readonly kind: 'failed'; readonly message: string };

interface AmpEnvironment {
  readonly hasFolder: boolean;
  readonly isTrusted: boolean;
  /** Whether an installed version of the diagnostics plugin is older than the bundled one. */
  readonly isPluginOutdated: boolean;
}

const restart: StatusAction = { label: 'Restart Server', command: commandIds.ampRestart };
const openTerminal: StatusAction = { label: 'Open Amp Terminal', command: commandIds.ampOpenTerminal };
const showLog: StatusAction = { label: 'Show Log', command: commandIds.showLog };
const updatePlugin: StatusAction = {
  label: 'Update Diagnostics Plugin',
  command: commandIds.ampInstallDiagnosticsPlugin,
};
const openFolder: StatusAction = { label: 'Open Folder', command: 'workbench.action.files.openFolder' };
const openSettings = openSettingsAction('backline.amp');

/** Returns the status of the Amp server for the status list and the status bar. */
export function ampStatus(state: AmpState, { hasFolder, isTrusted, isPluginOutdated }: AmpEnvironment): FeatureStatus {
  const amp = { id: 'amp', title: 'Amp' };
  switch (state.kind) {
    case 'off':
      return {
        ...amp,
        state: 'off',
        summary: 'Turned off in the setting backline.amp.enabled.',
        actions: [openSettings],
      };
    case 'starting':
      return { ...amp, state: 'starting', summary: 'Starting…' };
    case 'failed':
      return { ...amp, state: 'failed', summary: state.message, actions: [restart, openSettings, showLog] };
    case 'serving': {
      const { port, clientCount, failureCounts } = state;
      if (!hasFolder) {
        const summary = 'No folder is open, so the Amp CLI cannot find this window. Open a folder.';
        return { ...amp, state: 'off', summary, actions: [openFolder, openTerminal, restart] };
      }
      const serving = `Serving on 127.0.0.1:${port}${clientCount === 0 ? '. No client is connected' : ` to ${countWithNoun(clientCount, 'client')}`}.`;
      if (failureCounts) {
        const summary = `${serving} ${failureCounts.failedCount} of ${failureCounts.totalCount} requests in the last minute failed. Restart the server if this continues.`;
        return { ...amp, state: 'attention', summary, actions: [restart, showLog, openTerminal] };
      }
      const update = isPluginOutdated ? ' An update of the diagnostics plugin is available.' : '';
      const updates = isPluginOutdated ? [updatePlugin] : [];
      if (!isTrusted) {
        const summary = `Edits are refused until you trust the workspace. ${serving}${update}`;
        return { ...amp, state: 'ready', summary, actions: [manageTrustAction, ...updates, restart] };
      }
      const summary = `${serving}${update}`;
      return { ...amp, state: 'ready', summary, actions: [openTerminal, ...updates, restart] };
    }
  }
}
