import { readFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';
import { ProviderError } from '../../common/providers/providerError';
import type { ModuleLoadGuard } from './loadGuard';
import { packageScheme } from './providerModule';

interface ModuleHooks {
  /** `file:` URI of the folder in which packages are looked up. */
  readonly folder: string | undefined;
  readonly onFile: (url: string) => void;
  readonly guard: ModuleLoadGuard | undefined;
}

const surveyScheme = 'backline-survey:';
const haltMessage = 'Nothing of it runs yet.';

/** Lets the worker import TypeScript, and packages of the workspace folder. Reports and checks loaded files. */
export function installModuleHooks({ folder, guard, onFile }: ModuleHooks): void {
  nodeModule.registerHooks({
    resolve(specifier, context, next) {
      if (specifier.startsWith(surveyScheme)) return { url: specifier, format: 'module', shortCircuit: true };
      if (!specifier.startsWith(packageScheme) || folder === undefined) return next(specifier, context);
      const parentURL = `${folder.replace(/\/$/, '')}/provider.mjs`;
      return next(specifier.slice(packageScheme.length), { ...context, parentURL });
    },
    load(url, context, next) {
      if (url.startsWith(surveyScheme)) return surveyModule(url);
      const isFile = url.startsWith('file:');
      const isOwnFile = isFile && !url.includes('/node_modules/');
      if (isOwnFile) onFile(url);
      const bytes = isFile ? guard?.read(url) : undefined;
      const path = new URL(url).pathname;
      if (isOwnFile && /\.[cm]?ts$/.test(path)) return loadTypeScript(url, bytes);
      const found = next(url, context);
      return bytes ? { ...found, source: bytes, shortCircuit: true } : found;
    },
  });
}

/** Loads a module and its imports without running them: the importing module throws before. @throws load errors */
export async function loadWithoutRunning(specifier: string): Promise<void> {
  try {
    await import(`${surveyScheme}${encodeURIComponent(specifier)}`);
  } catch (error) {
    if (!(error instanceof Error) || error.message !== haltMessage) throw error;
  }
}

function surveyModule(url: string): nodeModule.LoadFnOutput {
  const specifier = decodeURIComponent(url.slice(surveyScheme.length));
  const source =
    specifier === 'halt'
      ? `throw new Error(${JSON.stringify(haltMessage)});`
      : `import '${surveyScheme}halt'; import ${JSON.stringify(specifier)};`;
  return { format: 'module', source, shortCircuit: true };
}

function loadTypeScript(url: string, bytes?: Buffer): nodeModule.LoadFnOutput {
  if (typeof nodeModule.stripTypeScriptTypes !== 'function')
    throw new ProviderError('This editor cannot run TypeScript. Compile the provider to JavaScript.');
  const text = bytes?.toString('utf8') ?? readFileSync(fileURLToPath(url), 'utf8');
  const source = stripTypes(text, url);
  return { format: formatOf(url, source), source, shortCircuit: true };
}

/** @throws Error whose stack begins with the file and the line */
function stripTypes(text: string, url: string): string {
  try {
    return nodeModule.stripTypeScriptTypes(text);
  } catch {
    // Only used for the error, because it adds a comment to the code.
    return nodeModule.stripTypeScriptTypes(text, { sourceUrl: url });
  }
}

/** Returns the format of a module. Determined by the extension, or else by the syntax. */
function formatOf(url: string, source: string): 'module' | 'commonjs' {
  const { pathname } = new URL(url);
  if (pathname.endsWith('.cts')) return 'commonjs';
  const isCommonJs = /\bmodule\.exports\b|\bexports\.\w+\s*=/.test(source) && !/^\s*(?:import|export)\b/m.test(source);
  return isCommonJs && !pathname.endsWith('.mts') ? 'commonjs' : 'module';
}
