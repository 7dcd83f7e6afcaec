import assert from 'node:assert/strict';
import { FileService, type FileServiceDeps } from '../../../../src/acp/node/session/fileService';
import type { RequestedFileChange, PermissionOutcome } from '../../../../src/acp/node/session/permissionService';
import { FakeEditor } from '../../../fake/fakeEditor';

const { signal } = new AbortController();
const twenty = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`).join('');

const granted: PermissionOutcome = { isGranted: true };
const refusal: PermissionOutcome = { isGranted: false, reason: "A rule of the user's forbids it." };

/** A user who lets agents do what needs no question. */
function permissionsOf(changes: Partial<FileServiceDeps['permissions']> = {}): FileServiceDeps['permissions'] {
  return {
    mayRead: () => Promise.resolve(granted),
    mayWriteWithoutAsking: () => granted,
    askToWrite: () => Promise.resolve(granted),
    ...changes,
  };
}

function serviceOf(options: Partial<FileServiceDeps> = {}) {
  const editor = new FakeEditor({
    '/ws/a.txt': twenty,
    '/ws/end.txt': 'no newline',
    '/ws/ends.txt': 'one\ntwo\r\nthree\rfour',
    '/ws/.env': 'secret',
  });
  const asked: string[] = [];
  const files = new FileService(editor, {
    missingFile: () => 'error' as const,
    permissions: permissionsOf({
      askToWrite: ({ path }) => {
        asked.push(path);
        return Promise.resolve(refusal);
      },
    }),
    protectionOf: () => Promise.resolve(undefined),
    ...options,
  });
  return { editor, asked, files };
}

describe('the files an ACP agent reads and writes', () => {
  const reads: readonly [string, { line?: number | null; limit?: number | null }, string][] = [
    ['from the first line on, which is 1', { line: 1, limit: 2 }, 'line 1\nline 2\n'],
    ['from the middle', { line: 19, limit: 1 }, 'line 19\n'],
    ['as far as they go', { line: 20, limit: 5 }, 'line 20\n'],
    ['as nothing behind the end', { line: 40 }, ''],
    ['as nothing for a limit of 0', { line: 1, limit: 0 }, ''],
    ['whole with null for both', { line: null, limit: null }, twenty],
    ['from 0 as from 1', { line: 0, limit: 1 }, 'line 1\n'],
  ];
  for (const [how, range, expected] of reads) {
    it(`are read ${how}`, async () => {
      assert.deepEqual(await serviceOf().files.read({ path: '/ws/a.txt', ...range }, signal), { content: expected });
    });
  }

  it('are counted in lines that end with LF, CRLF or a lone CR, as the editor counts them', async () => {
    const { content } = await serviceOf().files.read({ path: '/ws/ends.txt', line: 2, limit: 2 }, signal);
    assert.equal(content, 'two\r\nthree\r');
  });

  it('are read up to an end without a newline', async () => {
    assert.deepEqual(await serviceOf().files.read({ path: '/ws/end.txt', line: 1, limit: 9 }, signal), {
      content: 'no newline',
    });
  });

  it('are read as the user sees them, with unsaved changes', async () => {
    const { editor, files } = serviceOf();
    editor.type('/ws/a.txt', 'unsaved');
    assert.deepEqual(await files.read({ path: '/ws/a.txt' }, signal), { content: 'unsaved' });
  });

  it('are missing by the code of the protocol, or empty for an agent that needs that', async () => {
    await assert.rejects(serviceOf().files.read({ path: '/ws/b.txt' }, signal), { code: -32002 });
    const { files } = serviceOf({ missingFile: () => 'empty' });
    assert.deepEqual(await files.read({ path: '/ws/b.txt' }, signal), { content: '' });
  });

  it('are refused outside the workspace and on the exclude list, with what to do', async () => {
    const { files } = serviceOf({ missingFile: () => 'empty' });
    await assert.rejects(files.read({ path: '/etc/passwd' }, signal), {
      code: -32602,
      message: /outside the workspace/,
    });
    await assert.rejects(files.read({ path: '/ws/.env' }, signal), { code: -32602, message: /exclude list/ });
    await assert.rejects(files.write({ path: '/etc/x', content: '' }, signal), { code: -32602 });
  });

  it('are refused above 16 MiB', async () => {
    const { editor, files } = serviceOf();
    editor.setFile('/ws/big.txt', 'x'.repeat(16 * 1024 * 1024 + 1));
    await assert.rejects(files.read({ path: '/ws/big.txt' }, signal), { code: -32602 });
  });

  it('are written and saved, and created when they are missing', async () => {
    const { editor, files } = serviceOf();
    await files.write({ path: '/ws/a.txt', content: 'new' }, signal);
    await files.write({ path: '/ws/sub/b.txt', content: 'made' }, signal);
    assert.deepEqual([editor.diskText('/ws/a.txt'), editor.diskText('/ws/sub/b.txt')], ['new', 'made']);
  });

  it('keep unsaved changes of the user unless the user gives them up', async () => {
    const { asked, editor, files } = serviceOf();
    editor.type('/ws/a.txt', 'mine');
    await assert.rejects(files.write({ path: '/ws/a.txt', content: 'new' }, signal), {
      code: -32603,
      message: /unsaved/,
    });
    assert.equal(editor.bufferText('/ws/a.txt'), 'mine');
    assert.deepEqual(asked, ['/ws/a.txt']);

    const changes: RequestedFileChange[] = [];
    const permissions = permissionsOf({
      askToWrite: (change) => {
        changes.push(change);
        return Promise.resolve(granted);
      },
    });
    const generous = serviceOf({ permissions });
    generous.editor.type('/ws/a.txt', 'mine');
    await generous.files.write({ path: '/ws/a.txt', content: 'new' }, signal);
    assert.equal(generous.editor.diskText('/ws/a.txt'), 'new');
    const change = {
      path: '/ws/a.txt',
      before: 'mine',
      after: 'new',
      isUnsaved: true,
      isUnread: false,
      protection: undefined,
    };
    assert.deepEqual(changes, [change]);
  });

  it('are kept from an agent by a rule of the user, by their real path', async () => {
    const seen: string[] = [];
    const permissions = permissionsOf({
      mayRead: (path) => {
        seen.push(`read ${path}`);
        return Promise.resolve(refusal);
      },
      mayWriteWithoutAsking: (path) => {
        seen.push(`edit ${path}`);
        return refusal;
      },
    });
    const { editor, files } = serviceOf({ permissions });
    editor.links.set('/ws/link.txt', '/ws/a.txt');
    await assert.rejects(files.read({ path: '/ws/sub/../a.txt' }, signal), { code: -32603, message: /rule/ });
    await assert.rejects(files.read({ path: '/ws/link.txt' }, signal), { code: -32603, message: /rule/ });
    for (const path of ['/ws/a.txt', '/ws/link.txt'])
      await assert.rejects(files.write({ path, content: 'new' }, signal), { code: -32603, message: /rule/ });
    assert.deepEqual(seen, ['read /ws/a.txt', 'read /ws/a.txt', 'edit /ws/a.txt', 'edit /ws/a.txt']);
    assert.equal(editor.diskText('/ws/a.txt'), twenty);
  });

  it('are not written in an untrusted workspace', async () => {
    const { editor, files } = serviceOf();
    editor.trusted = false;
    await assert.rejects(files.write({ path: '/ws/a.txt', content: 'new' }, signal), { code: -32603 });
  });
});
