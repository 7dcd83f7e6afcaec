import type { FeatureStatus, StatusAction } from '../../base/common/feature';
import { commandIds } from '../../manifest';

export type AmpState =
  | { readonly kind: 'off' }
  | { readonly kind: 'starting' }
  | { readonly kind: 'serving'; readonly port: number; readonly clients: number }
  /** `message` says what to do. */
  | { readonly kind: 'failed'; readonly message: string };

export interface AmpSurroundings {
  readonly hasFolder: boolean;
  readonly isTrusted: boolean;
  /** An installed diagnostics plugin is older than the one this version brings. */
  readonly isPluginOutdated: boolean;
}

const restart: StatusAction = { label: 'Restart the server', command: commandIds.ampRestart };
const openTerminal: StatusAction = { label: 'Open Amp terminal', command: commandIds.ampOpenTerminal };
const showLog: StatusAction = { label: 'Show log', command: commandIds.showLog };
const updatePlugin: StatusAction = {
  label: 'Update the diagnostics plugin',
  command: commandIds.ampInstallDiagnosticsPlugin,
};
const openFolder: StatusAction = { label: 'Open folder', command: 'workbench.action.files.openFolder' };
const manageTrust: StatusAction = { label: 'Manage workspace trust', command: 'workbench.trust.manage' };
const openSettings: StatusAction = {
  label: 'Open settings',
  command: 'workbench.action.openSettings',
  arguments: ['backline.amp'],
};

/** What the status list and the status bar say of the Amp server. */
export function ampStatus(state: AmpState, { hasFolder, isTrusted, isPluginOutdated }: AmpSurroundings): FeatureStatus {
  const amp = { id: 'amp', title: 'Amp' };
  switch (state.kind) {
    case 'off':
      return {
        ...amp,
        state: 'off',
        summary: 'Switched off by the setting backline.amp.enabled.',
        actions: [openSettings],
      };
    case 'starting':
      return { ...amp, state: 'starting', summary: 'Starting…' };
    case 'failed':
      return { ...amp, state: 'failed', summary: state.message, actions: [restart, openSettings, showLog] };
    case 'serving': {
      const { port, clients } = state;
      const badge = clients === 0 ? String(port) : `${port} · ${clients}`;
      const serving = `Serving on 127.0.0.1:${port} to ${counted(clients)}.`;
      if (!hasFolder) {
        const summary = `${serving} Open a folder to use it: the Amp CLI matches windows by folder.`;
        return { ...amp, state: 'off', summary, actions: [openFolder, openTerminal, restart] };
      }
      const restricted = isTrusted ? '' : 'Edits are refused until you trust the workspace. ';
      const update = isPluginOutdated ? ' The diagnostics plugin can be updated.' : '';
      const summary = `${restricted}${serving}${update}`;
      const extra = [...(isTrusted ? [] : [manageTrust]), ...(isPluginOutdated ? [updatePlugin] : [])];
      return { ...amp, state: 'ready', badge, summary, actions: [openTerminal, ...extra, restart] };
    }
  }
}

function counted(clients: number): string {
  if (clients === 0) return 'no client yet';
  return clients === 1 ? '1 client' : `${clients} clients`;
}
