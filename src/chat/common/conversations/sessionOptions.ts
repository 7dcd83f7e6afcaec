import { isInside } from '../../../editor/common/boundary';
import type { EditorPort } from '../../../editor/common/editorPort';
import { BackendError, type CreateSessionOptions } from '../../../session/common/sessionBackend';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { PresetOfConversation } from '../chatView';
import type { NewSessionOptionsPort } from './newSessionOptionsPort';

export interface SessionPlace {
  readonly backendId: string;
  /** The agent's working folder, as an absolute path. */
  readonly folder?: string | undefined;
  readonly preset?: PresetOfConversation | undefined;
  /** Set for a side question, whose session can only read. */
  readonly aside?: object | undefined;
}

/** Returns the options with which a session is created or loaded. @throws BackendError if no folder is open */
export function createSessionOptions(
  { aside, backendId, folder, preset }: SessionPlace,
  editor: Pick<EditorPort, 'folders'>,
  defaults: Pick<NewSessionOptionsPort, 'instructionsFor' | 'of'>,
): CreateSessionOptions {
  const folders = editor.folders.map(({ path }) => path);
  const [first] = folders;
  if (first === undefined) throw new BackendError('invalidRequest', 'Open a folder to start.');
  // The folder may have been removed from the workspace.
  const isThere = folder !== undefined && folders.some((path) => isInside(folder, path, false));
  const cwd = isThere ? folder : first;
  const others = folders.filter((path) => path !== cwd);
  const instructions = defaults.instructionsFor?.(preset) ?? '';
  return {
    cwd,
    ...(others.length > 0 ? { additionalDirectories: others } : {}),
    ...(instructions === '' ? {} : { instructions }),
    ...(preset?.limits ? { limits: withoutUndefined(preset.limits) } : {}),
    ...defaults.of(backendId).profileAndModel,
    ...(aside && { isReadOnly: true }),
  };
}
