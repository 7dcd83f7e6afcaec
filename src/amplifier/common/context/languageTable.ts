import * as z from 'zod';

const Texts = z.array(z.string()).catch([]);
/** An entry of `contributes.languages` in an extension's manifest. */
const Contribution = z.object({ id: z.string().min(1), extensions: Texts.default([]), filenames: Texts.default([]) });
const Manifest = z.object({ contributes: z.object({ languages: z.array(z.unknown()) }) });

/** Determines a file's language by its name, because VS Code only provides the language of loaded documents. */
export class LanguageTable {
  private readonly languageByFileName = new Map<string, string>();
  private readonly languageByExtension = new Map<string, string>();

  /** `manifests` are the manifests of all extensions. If several extensions claim a name, the first one wins. */
  constructor(manifests: readonly unknown[]) {
    for (const manifest of manifests) {
      for (const language of Manifest.safeParse(manifest).data?.contributes.languages ?? []) this.addLanguage(language);
    }
  }

  /** Returns VS Code's language id. Undefined if no extension claims the name. */
  languageOf(path: string): string | undefined {
    const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1).toLowerCase();
    const known = this.languageByFileName.get(name);
    if (known !== undefined) return known;
    // The longest known extension wins, for example `.d.ts` and not `.ts`.
    for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1)) {
      const language = this.languageByExtension.get(name.slice(dot));
      if (language !== undefined) return language;
    }
    return undefined;
  }

  private addLanguage(contribution: unknown): void {
    const { data } = Contribution.safeParse(contribution);
    if (!data) return;
    for (const name of data.filenames) setNew(this.languageByFileName, name, data.id);
    for (const extension of data.extensions) setNew(this.languageByExtension, extension, data.id);
  }
}

function setNew(table: Map<string, string>, key: string, id: string): void {
  const name = key.toLowerCase();
  if (name !== '' && !table.has(name)) table.set(name, id);
}
