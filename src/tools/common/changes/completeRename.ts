import { countOf } from '../../../base/common/countOf';
import { pause } from '../../../base/common/async';
import type { ProposedEdits } from '../languageEditPort';
import type { FilePosition, Place } from '../languagePort';
import { visiblePlaces } from '../placeList';
import { displayPath } from '../text/displayPath';
import type { ToolPorts } from '../toolPorts';

/** Pauses before the language server is asked again. */
const retryDelaysMs = [500, 1_000, 2_000];
const maxNamedFiles = 10;

interface CompleteRename {
  readonly proposed: readonly ProposedEdits[];
  /** Sentences about files that use the symbol and are not changed. */
  readonly remarks: readonly string[];
}

/**
 * Returns the edits of a rename. A language server that is still reading the project can propose edits for some files
 * only. Therefore it is asked again while files with references have no edits, and its proposal grows. A file can use
 * a symbol without its name, for example by a default import, so such files remain unchanged and are named.
 */
export async function requestCompleteRename(
  at: FilePosition,
  newName: string,
  ports: Pick<ToolPorts, 'clock' | 'editor' | 'language' | 'languageEdits'>,
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

async function remarksOn(
  unchanged: readonly Place[],
  at: FilePosition,
  { editor }: Pick<ToolPorts, 'editor'>,
  signal: AbortSignal,
): Promise<string[]> {
  const { places } = await visiblePlaces(unchanged, at.path, { editor }, signal);
  const paths = [...new Set(places.map(({ path }) => path))];
  if (paths.length === 0) return [];
  const names = paths.slice(0, maxNamedFiles).map((path) => displayPath(path, editor));
  const more = paths.length > names.length ? `, and ${paths.length - names.length} more` : '';
  return [
    `${countOf(paths.length, 'file has', 'files have')} references but no changes. Check for other names of the symbol there: ${names.join(', ')}${more}.`,
  ];
}
