import { isRecord } from '../../../base/common/isRecord';

/** The values of VS Code's setting `chat.promptFilesLocations`, which says of folders whether they have prompt files. */
interface PromptFileLocations {
  readonly ofUser: unknown;
  readonly ofWorkspace: unknown;
}

interface PromptFolders {
  /** Relative to each workspace folder, with `/`, without one at the end. Empty: the workspace folder itself. */
  readonly workspace: readonly string[];
  /** Absolute, or with `~/` for the home folder. */
  readonly user: readonly string[];
}

const defaultFolder = '.github/prompts';
const maxFolders = 20;

/**
 * Returns the folders with prompt files. Only the user can name folders outside of the workspace; a workspace, which agents can
 * change, can turn them off. Patterns and paths with `..` are left out.
 */
export function promptFoldersOf({ ofUser, ofWorkspace }: PromptFileLocations): PromptFolders {
  const [own, shared] = [entriesOf(ofUser), entriesOf(ofWorkspace)];
  const folders = new Map([[defaultFolder, true], ...own, ...shared]);
  const enabled = [...folders].flatMap(([folder, isOn]) => (isOn ? [folder] : []));
  return {
    workspace: enabled.filter((folder) => !isOutside(folder)).slice(0, maxFolders),
    user: enabled.filter((folder) => isOutside(folder) && own.get(folder) === true).slice(0, maxFolders),
  };
}

function entriesOf(value: unknown): ReadonlyMap<string, boolean> {
  const entries = Object.entries(isRecord(value) ? value : {}).flatMap(([written, isOn]): [string, boolean][] => {
    const folder = written
      .trim()
      .replace(/^(?:\.\/)+|^\.$/, '')
      .replace(/(?<=.)\/+$/, '');
    return typeof isOn === 'boolean' && isFolder(folder) ? [[folder, isOn]] : [];
  });
  return new Map(entries);
}

function isFolder(folder: string): boolean {
  const isPattern = /[*?[\]{}()!]/.test(folder);
  return !isPattern && !folder.split(/[\\/]/).includes('..') && (isOutside(folder) || !/[\\~:]/.test(folder));
}

function isOutside(folder: string): boolean {
  return /^(?:~[\\/]|\/|[A-Za-z]:[\\/])/.test(folder);
}
