import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';

/** A relative import goes to a file of `src`; anything else is a package, `node:` builtin or `vscode`. */
interface Import {
  readonly file: string;
  readonly specifier: string;
  readonly typeOnly: boolean;
}

const layers = ['common', 'node', 'vscode', 'browser', 'demo', 'plugin'] as const;
type Layer = (typeof layers)[number];

/** What each layer may import from other layers of `src`. */
const layerMay: Record<Layer, readonly Layer[]> = {
  common: ['common'],
  node: ['common', 'node'],
  vscode: ['common', 'node', 'vscode'],
  browser: ['common', 'browser'],
  demo: ['common', 'node', 'demo'],
  plugin: [],
};

/** Rooms that every feature may use. Features meet each other through ports, in compose.ts. */
const shared = new Set(['base', 'wire', 'webview', 'platform', 'consent', 'texts']);
/** Rooms whose `common` is a language that others speak; what the transcript looks like is the same for all, too. */
const vocabularies = new Map<string, readonly string[]>([
  [
    'editor',
    ['amp', 'acp', 'amplifier', 'comments', 'context', 'chat', 'permissions', 'startingPoints', 'threads', 'tools'],
  ],
  ['session', ['acp', 'agents', 'amplifier', 'chat', 'permissions', 'tools']],
  ['permissions', ['acp', 'chat']],
  ['transcript', ['chat', 'threads']],
  ['tools', ['context']],
  ['changes', ['chat', 'comments']],
]);

const root = path.join(process.cwd(), 'src');

function sources(): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => file.split(path.sep).join('/'));
}

function importsOf(file: string): Import[] {
  const text = readFileSync(path.join(root, file), 'utf8');
  const pattern = /^(?:import|export)\s+(type\s)?(?:[^'"]*?\bfrom\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;
  return [...text.matchAll(pattern)].map((match) => ({
    file,
    specifier: match[2] ?? match[3] ?? '',
    typeOnly: match[1] !== undefined,
  }));
}

const isRelative = (specifier: string): boolean => specifier.startsWith('.');
const targetOf = ({ file, specifier }: Import): string => path.posix.join(path.posix.dirname(file), specifier);
const roomOf = (file: string): string => file.split('/')[0] ?? '';

function layerOf(file: string): Layer | undefined {
  const segment = file.split('/')[1];
  return layers.find((layer) => layer === segment);
}

describe('the architecture', () => {
  const files = sources();
  const imports = files.flatMap(importsOf);
  const inLayer = (layer: Layer): Import[] => imports.filter(({ file }) => layerOf(file) === layer);

  it('finds imports to judge', () => assert.ok(imports.length > 30));

  it('puts every file in a room and a layer, but for the roots of the programs and the manifest', () => {
    const unplaced = files.filter((file) => !layerOf(file) && roomOf(file) !== 'webview');
    assert.deepEqual(unplaced.sort(), [
      'acpServer.ts',
      'agentReaper.ts',
      'amplifierServer.ts',
      'compose.ts',
      'extension.ts',
      'manifest.ts',
      'mcpBridge.ts',
      'services.ts',
    ]);
  });

  it('keeps vscode in the vscode layers', () => {
    const wrong = imports.filter(
      ({ file, specifier }) => specifier === 'vscode' && layerOf(file) !== 'vscode' && file.includes('/'),
    );
    assert.deepEqual(wrong, []);
  });

  it('keeps common free of Node.js', () => {
    const wrong = inLayer('common').filter(({ specifier }) => specifier.startsWith('node:') || specifier === 'ws');
    assert.deepEqual(wrong, []);
  });

  it('lets a layer import only what is below it', () => {
    const wrong = imports.filter((item) => {
      const from = layerOf(item.file);
      if (!from || !isRelative(item.specifier)) return false;
      const to = layerOf(targetOf(item));
      return to ? !layerMay[from].includes(to) : targetOf(item) !== 'manifest';
    });
    assert.deepEqual(wrong, []);
  });

  it('lets features meet only through shared rooms and vocabularies', () => {
    const wrong = imports.filter((item) => {
      if (!isRelative(item.specifier) || !item.file.includes('/')) return false;
      const from = roomOf(item.file);
      const target = targetOf(item);
      const to = roomOf(target);
      if (from === to || shared.has(to) || target === 'manifest') return false;
      const isLanguage = layerOf(target) === 'common' || (to === 'transcript' && layerOf(item.file) === 'browser');
      return !(vocabularies.get(to)?.includes(from) && isLanguage);
    });
    assert.deepEqual(wrong, []);
  });

  it('has no shared room that depends on a feature', () => {
    const wrong = imports.filter((item) => {
      const from = roomOf(item.file);
      const target = targetOf(item);
      return shared.has(from) && isRelative(item.specifier) && !shared.has(roomOf(target)) && target !== 'manifest';
    });
    assert.deepEqual(wrong, []);
  });

  it('keeps every file under 400 lines', () => {
    const long = files.filter((file) => readFileSync(path.join(root, file), 'utf8').split('\n').length > 400);
    assert.deepEqual(long, []);
  });

  it("has no page that asks its own machine what time it is: times are the host's", () => {
    const wrong = files.filter((file) => {
      if (layerOf(file) !== 'browser' || file === 'webview/browser/hostTime.ts') return false;
      return /\bDate\.now\b|new Date\(\)/.test(readFileSync(path.join(root, file), 'utf8'));
    });
    assert.deepEqual(wrong, []);
  });

  it('takes zod by its namespace, which bundles five times smaller', () => {
    const named = files.filter((file) =>
      /import\s+(?:\{|z\b)[^;]*from 'zod'/.test(readFileSync(path.join(root, file), 'utf8')),
    );
    assert.deepEqual(named, []);
  });
});
