import { readFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ProviderError } from '../../common/providers/providerError';
import { maxModuleFiles } from '../../common/limits';
import type { HashedModuleFile } from '../providerWorkerMessages';

/** Matches file names in `require('…')`, `import('…')` and imports: some files are only loaded later. */
const fileReference = /\b(?:require|import)\s*\(\s*(['"])([^'"\n]+)\1\s*[,)]|\b(?:from|import)\s*(['"])([^'"\n]+)\3/g;
const isCode = /\.(?:[cm]?[jt]s|json|node)$/i;

/** Reads and hashes the files of a module. After `close`, only reads the same files with the same content. */
export class ModuleLoadGuard {
  private readonly hashByUrl = new Map<string, string>();
  private readonly importedNames: { readonly url: string; readonly name: string }[] = [];
  private isClosedForNewFiles = false;

  get isClosed(): boolean {
    return this.isClosedForNewFiles;
  }

  /** Returns the content of a file that will run. @throws ProviderError if the file is not allowed or has changed */
  read(url: string): Buffer {
    const file = fileURLToPath(url);
    const key = pathToFileURL(file).href;
    const bytes = readFileSync(file);
    // Loaded only when needed, because loading takes time.
    const { createHash } = process.getBuiltinModule('node:crypto');
    const hash = createHash('sha256').update(bytes).digest('hex');
    const known = this.hashByUrl.get(key);
    if (known === hash) return bytes;
    if (known !== undefined) throw new ProviderError(`${file} changed while it was being loaded. Retry the provider.`);
    if (this.isClosedForNewFiles)
      throw new ProviderError(
        `The module loads ${file} dynamically, so you were not asked about that file. Import it at the top of the module.`,
      );
    if (this.hashByUrl.size >= maxModuleFiles)
      throw new ProviderError(
        `The module has more than ${maxModuleFiles} files, which is the limit. Bundle it into one file.`,
      );
    this.hashByUrl.set(key, hash);
    if (!/\.(?:node|json|wasm)$/i.test(file)) this.collectImportedNames(url, bytes.toString('utf8'));
    return bytes;
  }

  /** Also reads the files that the code names. After that, rejects all other files. */
  close(): readonly HashedModuleFile[] {
    for (let next = this.importedNames.pop(); next; next = this.importedNames.pop()) {
      const url = fileOf(next);
      if (url !== undefined && !this.hashByUrl.has(url)) this.read(url);
    }
    this.isClosedForNewFiles = true;
    return [...this.hashByUrl].map(([url, hash]) => ({ url, hash }));
  }

  private collectImportedNames(url: string, text: string): void {
    for (const match of text.matchAll(fileReference)) {
      const name = match[2] ?? match[4] ?? '';
      if (!isBuiltin(name) && !/^[a-z][a-z+.-]+:/i.test(name)) this.importedNames.push({ url, name });
    }
  }
}

/** Returns the URL of a named file. Undefined if missing: the name may be in a comment, or for another system. */
function fileOf({ url, name }: { readonly url: string; readonly name: string }): string | undefined {
  try {
    const file = createRequire(url).resolve(name);
    return isCode.test(file) ? pathToFileURL(file).href : undefined;
  } catch {
    return undefined;
  }
}
