import * as z from 'zod';

/** `bin` of a package.json: one file, or files by the names of their commands. Anything else counts as none. */
export const PackageBin = z
  .union([z.string(), z.record(z.string(), z.string())])
  .optional()
  .catch(undefined);
type PackageBin = z.infer<typeof PackageBin>;

export interface ChosenBin {
  /** The command's name. */
  readonly name: string;
  /** Path of the file in the package, as its author wrote it. */
  readonly file: string;
}

/** The command that npx would run: the requested one, the only one, or the one with the package's name. */
export function chooseBin(packageName: string, bin: PackageBin, cmd: string | undefined): ChosenBin | undefined {
  const ownName = packageName.replace(/^@[^/]*\//, '');
  const bins = typeof bin === 'string' ? { [ownName]: bin } : (bin ?? {});
  const names = Object.keys(bins);
  const wanted = cmd ?? (new Set(Object.values(bins)).size === 1 ? names[0] : ownName);
  const file = wanted === undefined ? undefined : bins[wanted];
  return wanted === undefined || file === undefined ? undefined : { name: wanted, file };
}
