import { parseLinkTarget, parsePathInCode } from '../parser/linkTarget';

interface FenceInfo {
  readonly language: string;
  readonly path?: string;
}

const pathAttribute = /(?:^|\s)(?:title|file|filename|path)=(?:"([^"]{1,300})"|'([^']{1,300})'|(\S{1,300}))/;

/** Parses the text after a fence: `ts title="src/a.ts"`, `ts src/a.ts`, `ts:src/a.ts`, `12:15:src/a.ts`, `{.ts}`. */
export function parseFenceInfo(info: string): FenceInfo {
  const words = info.trim().slice(0, 400).split(/\s+/);
  const first = (words[0] ?? '').replace(/^\d+:\d+:/, '');
  const name = pathAttribute.exec(info);
  const written = name?.[1] ?? name?.[2] ?? name?.[3];
  const path = pathOf(written, parseLinkTarget) ?? pathOf(first, parsePathInCode);
  const [language = '', behind] = path !== undefined && parsePathInCode(first) ? [''] : first.split(/:(?=.*[./])/);
  const found = path ?? pathOf(behind, parseLinkTarget) ?? pathOf(words[1], parsePathInCode) ?? bareFileName(words[1]);
  const clean = language.replace(/^\{?\.?|[{},].*$|\}$/g, '').slice(0, 30);
  return found === undefined ? { language: clean } : { language: clean || extensionOf(found), path: found };
}

function pathOf(text: string | undefined, read: typeof parseLinkTarget): string | undefined {
  const found = text === undefined || text === '' ? undefined : read(text);
  return found && !/^[a-z][a-z0-9+.-]+:/i.test(found.target) ? found.target : undefined;
}

function bareFileName(word: string | undefined): string | undefined {
  return word && /^[\w-][\w.-]{0,80}\.[a-z]\w{0,7}$/i.test(word) ? word : undefined;
}

function extensionOf(path: string): string {
  return /\.([a-z]\w{0,9})$/i.exec(path)?.[1]?.toLowerCase() ?? '';
}
