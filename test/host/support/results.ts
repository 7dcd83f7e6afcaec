import { appendFileSync } from 'node:fs';
import type { FileResult } from '../../../scripts/lib/tests/summary.mjs';

/** One line of the results file, which the runner outside VS Code follows. */
export type ResultLine =
  | { type: 'start'; pid: number; vscode: string; node: string; ui: string }
  | { type: 'text'; text: string }
  | { type: 'result'; result: FileResult }
  | { type: 'broken'; error: string }
  | { type: 'end' };

/** Writes to the file that the runner named in BACKLINE_TEST_RESULTS; each line is on disk when `write` returns. */
export class Results {
  private readonly file: string;

  constructor(env: NodeJS.ProcessEnv) {
    const file = env['BACKLINE_TEST_RESULTS'];
    if (!file) throw new Error('BACKLINE_TEST_RESULTS is not set: run the host tests with `npm run test:host`');
    this.file = file;
  }

  write(line: ResultLine): void {
    appendFileSync(this.file, `${JSON.stringify(line)}\n`);
  }
}
