import assert from 'node:assert/strict';
import { EditorError } from '../../../src/editor/common/editorPort';
import { excludedModulesIn } from '../../../src/tools/common/editor/excludedModules';

describe('names of modules in texts', () => {
  const errors = new Map<string, Error>([
    ['/ws/config/secret.ts', new EditorError('excluded', 'x')],
    ['/ws/src/config/secret.ts', new EditorError('outsideWorkspace', 'x')],
    ['/ws/src/odd.ts', Object.assign(new Error('x'), { code: 'excluded' })],
  ]);
  const editor = {
    folders: [{ name: 'ws', path: '/ws' }],
    resolve: (path: string) => {
      const at = path.replace(/\/src\/\.\.\//, '/').replace('/./', '/');
      const error = errors.get(at);
      return error ? Promise.reject(error) : Promise.resolve(at);
    },
  };
  const hiddenIn = async (...texts: string[]): Promise<string[]> => [
    ...(await excludedModulesIn(texts, '/ws/src/main.ts', { editor })),
  ];

  it('lead from the file if they are relative, else from the workspace folders', async () => {
    assert.deepEqual(await hiddenIn('from "../config/secret"', "'@/config/secret'", '`config/secret.ts`'), [
      '../config/secret',
      '@/config/secret',
      'config/secret.ts',
    ]);
    assert.deepEqual(await hiddenIn('"./config/secret"', '"./odd"', '"src/config/secret"'), []);
  });

  it('are in quotes and have a slash', async () => {
    assert.deepEqual(await hiddenIn('../config/secret', '"secret"', '"../config/\nsecret"'), []);
  });

  it('count as hidden where there are too many to check', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `./free/${index}`);
    const quotedNames = names.map((name) => `"${name}"`);
    assert.deepEqual(await hiddenIn(...quotedNames), []);
    assert.deepEqual(await hiddenIn(...quotedNames, '"../config/secret"'), ['../config/secret']);
  });
});
