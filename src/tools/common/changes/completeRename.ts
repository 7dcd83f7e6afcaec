import { countOf } from '../../../base/common/countOf';
import { pause } from '../../../base/common/async';
import type { ProposedEdits } from '../languageEditPort';
import type { FilePosition, Place } from '../languagePort';
import { visiblePlaces } from '../placeList';
import { displayPath } from '../text/displayPath';
import { waitUntilProjectLoaded } from '../calls/projectLoading';
import { findTextMatches } from '../search/textMatches';
import type { ToolPorts } from '../toolPorts';

/** Pauses before the language server is asked again. */
const retryDelaysMs = [500, 1_000, 2_000];
const maxNamedFiles = 10;
/** How often the language server is waited for while files with the name would stay unchanged. Some servers never answer. */
const maxLoadChecks = 3;
/** Limit of lines in a search for the name. */
const maxFoundLines = 2_000;

type RenamePorts = Pick<ToolPorts, 'clock' | 'editor' | 'language' | 'languageEdits' | 'search'>;

interface CompleteRename {
  readonly proposed: readonly ProposedEdits[];
  /** Sentences about files that use the symbol and are not changed. */
  readonly remarks: readonly string[];
}

/**
 * Returns the edits of a rename of `name`. A language server that is still reading the project proposes edits for open files
 * only. If it does not say that it has read the project, the files with the name are searched, and it is asked again while
 * some would stay unchanged. Some servers never say it, so the rename is proposed in the end, with what is uncertain.
 */
export async function requestCompleteRename(
  at: FilePosition,
  { name, newName }: { readonly name: string; readonly newName: string },
  ports: RenamePorts,
  signal: AbortSignal,
): Promise<CompleteRename> {
  for (let check = 1; ; check++) {
    const isLoaded = await waitUntilProjectLoaded(at, ports, signal);
    const { proposed, remarks } = await requestGrowingRename(at, newName, ports, signal);
    if (isLoaded || proposed.length === 0) return { proposed, remarks };
    const unchanged = await unchangedFilesWith(name, at, proposed, ports, signal);
    if (unchanged?.length !== 0 && check < maxLoadChecks) continue;
    return { proposed, remarks: [...remarks, uncertainty(name, unchanged, ports)] };
  }
}

/**
 * Asks again while files with references have no edits, and the proposal grows. A file can use a symbol without its name,
 * for example by a default import, so such files remain unchanged and are named.
 */
async function requestGrowingRename(
  at: FilePosition,
  newName: string,
  ports: RenamePorts,
  signal: AbortSignal,
): Promise<CompleteRename> {
  let proposed = await ports.languageEdits.renameEdits(at, newName, signal);
  if (proposed.length === 0) return { proposed, remarks: [] };
  let unchanged = await unchangedReferences(at, proposed, ports, signal);
  let sameCount = 0;
  for (const delayMs of retryDelaysMs) {
    if (unchanged.length === 0 || sameCount === 2) break;
    await pause(ports.clock, delayMs, signal);
    const fileCount = proposed.length;
    proposed = await ports.languageEdits.renameEdits(at, newName, signal);
    unchanged = await unchangedReferences(at, proposed, ports, signal);
    sameCount = proposed.length === fileCount ? sameCount + 1 : 0;
  }
  return { proposed, remarks: await remarksOn(unchanged, at, ports, signal) };
}

/** Returns none if the language server does not provide references. */
async function unchangedReferences(
  at: FilePosition,
  proposed: readonly ProposedEdits[],
  { language }: Pick<ToolPorts, 'language'>,
  signal: AbortSignal,
): Promise<readonly Place[]> {
  const changed = new Set(proposed.map(({ path }) => path));
  try {
    return (await language.references(at, signal)).filter(({ path }) => !changed.has(path));
  } catch {
    signal.throwIfAborted();
    return [];
  }
}

/** Returns the visible files with the name that would stay unchanged. Undefined if they are not known. */
async function unchangedFilesWith(
  name: string,
  { path: anchor }: FilePosition,
  proposed: readonly ProposedEdits[],
  ports: RenamePorts,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  if (name === '') return undefined;
  const changed = new Set(proposed.map(({ path }) => path));
  const query = { pattern: name, isRegex: false, isCaseSensitive: true, isWholeWord: true };
  try {
    const found = await findTextMatches(query, { anchor, limit: maxFoundLines }, ports, signal);
    const paths = found.files.map(({ path }) => path).filter((path) => !changed.has(path));
    return paths.length === 0 && (found.isLimitReached || found.hasTimedOut) ? undefined : paths;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

function uncertainty(
  name: string,
  unchanged: readonly string[] | undefined,
  { editor }: Pick<ToolPorts, 'editor'>,
): string {
  const reason = 'The language server did not say whether it has read the whole project';
  if (!unchanged) return `${reason}: other files may have uses that are not changed. Search for the old name.`;
  if (unchanged.length === 0) return `${reason}, but every file with the word \`${name}\` is changed.`;
  return `${reason}. Check ${countOf(unchanged.length, 'file')} with the word \`${name}\` where nothing is changed: ${namesOf(unchanged, editor)}.`;
}

function namesOf(paths: readonly string[], editor: ToolPorts['editor']): string {
  const names = paths.slice(0, maxNamedFiles).map((path) => displayPath(path, editor));
  const more = paths.length > names.length ? `, and ${paths.length - names.length} more` : '';
  return `${names.join(', ')}${more}`;
}

async function remarksOn(
  unchanged: readonly Place[],
  at: FilePosition,
  { editor }: Pick<ToolPorts, 'editor'>,
  signal: AbortSignal,
): Promise<string[]> {
  const { places } = await visiblePlaces(unchanged, at.path, { editor }, signal);
  const paths = [...new Set(places.map(({ path }) => path))];
  if (paths.length === 0) return [];
  return [
    `${countOf(paths.length, 'file has', 'files have')} references but no changes. Check for other names of the symbol there: ${namesOf(paths, editor)}.`,
  ];
}
