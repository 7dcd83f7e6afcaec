// The types and the lint of all code, as `npm run typecheck` and `npm run lint`: both need the same programs of TypeScript,
// and making and checking these takes most of the time. One program after the other, since each fills a gigabyte.
import { ESLint } from 'eslint';
import ts from 'typescript';
import { pages } from '../eslint.config.mjs';
import { inRoot, root } from './lib/paths.mjs';

const formatting = {
  getCurrentDirectory: () => root,
  getCanonicalFileName: (/** @type {string} */ name) => name,
  getNewLine: () => '\n',
};
const problems = [
  await problemsIn('tsconfig.page.json', pages),
  await problemsIn('tsconfig.json', ['.'], { ignorePatterns: pages }),
];
process.exitCode = problems.every((count) => count === 0) ? 0 : 1;

/**
 * Prints them.
 * @param {string} name of the program's configuration
 * @param {string[]} patterns of the files to lint
 * @param {ESLint.Options} [options]
 * @returns {Promise<number>} how many
 */
async function problemsIn(name, patterns, options) {
  const program = programOf(name);
  const diagnostics = ts.sortAndDeduplicateDiagnostics(ts.getPreEmitDiagnostics(program));
  if (diagnostics.length > 0) console.log(ts.formatDiagnostics(diagnostics, formatting));

  const parserOptions = { projectService: false, programs: [program] };
  const eslint = new ESLint({ ...options, cwd: root, overrideConfig: { languageOptions: { parserOptions } } });
  const results = await eslint.lintFiles(patterns);
  const lint = results.reduce((sum, { errorCount, warningCount }) => sum + errorCount + warningCount, 0);
  if (lint > 0) console.log(await (await eslint.loadFormatter('stylish')).format(results));
  console.log(`${name}: ${diagnostics.length} type errors, ${lint} lint problems in ${results.length} files`);
  return diagnostics.length + lint;
}

/** @param {string} name */
function programOf(name) {
  const host = {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: (/** @type {ts.Diagnostic} */ { messageText }) => {
      throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
    },
  };
  const config = ts.getParsedCommandLineOfConfigFile(inRoot(name), undefined, host);
  if (!config) throw new Error(`${name} cannot be read`);
  return ts.createProgram({
    rootNames: config.fileNames,
    options: config.options,
    configFileParsingDiagnostics: config.errors,
  });
}
