import type { ProposedEdits } from '../../../../src/tools/common/languageEditPort';
import { lineRange, symbolAt, ToolBench } from './fakeLanguage';

export const code =
  'export class Parser {\n  parse(text) {\n    return text;\n  }\n}\nconst parser = new Parser();\nparser.parse("parse");\n';
export const [main, other, secret] = ['/ws/src/main.ts', '/ws/src/other.ts', '/ws/src/.env'];

/** A workspace with a parser, a file that imports it, and one that is excluded. */
export function bench(): ToolBench {
  const made = new ToolBench({ [main]: code, [other]: 'import { Parser } from "./main";\n', [secret]: 'KEY=abc\n' });
  made.language.outlines[main] = [
    symbolAt('Parser', 'class', 0, 4, { ...symbolAt('parse', 'method', 1, 3), nameRange: lineRange(1, 2, 7) }),
    { ...symbolAt('parser', 'constant', 5, 5), nameRange: lineRange(5, 6, 12) },
  ];
  return made;
}

/** An edit of one line. */
export function editIn(
  path: string | undefined,
  line: number,
  from: number,
  to: number,
  newText: string,
): ProposedEdits {
  return { path, edits: [{ range: lineRange(line, from, to), newText }] };
}
