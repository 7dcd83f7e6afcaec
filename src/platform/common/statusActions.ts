import type { StatusAction } from '../../base/common/feature';

export const manageTrustAction: StatusAction = {
  label: 'Manage Workspace Trust',
  command: 'workbench.trust.manage',
};

/** `query` is the id of a setting, or the start of the ids of several. */
export function openSettingsAction(query: string): StatusAction {
  return { label: 'Open Settings', command: 'workbench.action.openSettings', arguments: [query] };
}
