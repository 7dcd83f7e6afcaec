import assert from 'node:assert/strict';
import type { CallDescription } from '../../../../../src/acp/common/session/toolCalls';
import {
  createApprovalContext,
  describePermissionRequest,
  toTerminalToolRequest,
  toToolRequest,
} from '../../../../../src/acp/common/approvals/toolRequests';
import { createFileRequest, type ToolRequest } from '../../../../../src/permissions/common/requests/toolRequest';

const resolve = (path: string): Promise<string> =>
  path.startsWith('/ws') ? Promise.resolve(path.replace('/ws/link', '/ws/real')) : Promise.reject(new Error('outside'));
const protectionOf = (path: string) =>
  Promise.resolve(path.includes('.vscode') ? { reason: 'VS Code runs it' } : undefined);
const context = { agent: 'demo', cwd: '/ws', resolve, protectionOf };
const call = (members: Partial<CallDescription>): CallDescription => ({
  name: undefined,
  title: 'x',
  kind: 'execute',
  locations: [],
  content: [],
  rawInput: {},
  ...members,
});
const run: ToolRequest = { ...createFileRequest('demo', 'execute'), command: { argv: ['npm', 'test'], cwd: '/ws' } };
const edit = createFileRequest('demo', 'edit', '/ws/src/a.ts');

describe('what a tool call asks for', () => {
  it('is read from places, diffs and input, with real paths, without repetition', async () => {
    const request = await toToolRequest(
      call({
        title: 'Read /etc/passwd',
        kind: 'edit',
        locations: [{ path: '/ws/link/a.ts' }],
        content: [{ type: 'diff', path: '/ws/real/a.ts', newText: '' }],
        rawInput: { file_path: '/outside', new_string: 'x', mode: 'fast' },
      }),
      context,
    );
    const paths = ['/ws/real/a.ts', '/outside'];
    const expected = { ...createFileRequest('demo', 'edit', ...paths), input: { mode: '"fast"' }, isUnresolved: true };
    assert.deepEqual(request, { ...expected, protections: new Map() });
    assert.equal(
      describePermissionRequest('Demo', request, { title: 'Read', cwd: '/ws' }),
      'Demo wants to edit /ws/real/a.ts, /outside',
    );
  });

  it('is ambiguous if the tool could use other files than those that it names', async () => {
    const leadingOut = (path: string): Promise<string> =>
      path.includes('/out') || path.includes('..') ? Promise.reject(new Error('outside')) : resolve(path);
    const isAmbiguous = async (kind: CallDescription['kind'], rawInput: Record<string, unknown>) =>
      (await toToolRequest(call({ kind, rawInput }), { ...context, resolve: leadingOut })).isAmbiguous ?? false;
    for (const path of ['{.vscode,x}/tasks.json', '.vs?ode/tasks.json', '$HOME/x', '%2e%2e/x', '/ws/a*'])
      for (const kind of ['edit', 'read', 'other'] as const)
        assert.equal(await isAmbiguous(kind, { path }), true, path);
    assert.equal(await isAmbiguous('edit', { path: '/ws/app/[id]/page.tsx' }), false);
    assert.equal(await isAmbiguous('search', { pattern: '*.ts', path: 'src' }), false);
    assert.equal(await isAmbiguous('search', { glob: ['a/*.ts', '{src,out}/**'] }), true, 'a link that leads out');
    assert.equal(await isAmbiguous('search', { pattern: 'out/*', path: 'src' }), true);
  });

  it('is a command line as one argument, or its arguments, in the folder it names', async () => {
    const commandOf = async (rawInput: Record<string, unknown>) =>
      (await toToolRequest(call({ rawInput }), context)).command;
    assert.deepEqual(await commandOf({ command: 'npm test' }), { argv: ['npm test'], cwd: '/ws' });
    assert.deepEqual(
      await commandOf({ command: 'git', args: ['push', '-f'] }),
      { argv: ['git', 'push', '-f'], cwd: '/ws' },
      'arguments belong to the command',
    );
    assert.deepEqual(await commandOf({ command: ['ls'], workdir: 'link' }), { argv: ['ls'], cwd: '/ws/real' });
    const outside = await toToolRequest(call({ rawInput: { command: 'ls', cwd: '/etc' } }), context);
    assert.equal(outside.isUnresolved, true);
  });

  it('takes relative paths from the folder of the session, and knows nothing of what a shell would expand', async () => {
    const request = (path: string) =>
      toToolRequest(call({ kind: 'read', rawInput: { path } }), { ...context, cwd: '/ws/b' });
    assert.deepEqual((await request('a.ts')).paths, ['/ws/b/a.ts']);
    const home = await request('~/.ssh/id_rsa');
    assert.deepEqual([home.paths, home.isUnresolved], [['~/.ssh/id_rsa'], true]);
  });

  it('is an edit where a diff is shown, whatever it calls itself', async () => {
    const content = [{ type: 'diff' as const, path: '/ws/.vscode/tasks.json', newText: '' }];
    for (const kind of ['read', 'think', 'other'] as const) {
      const request = await toToolRequest(call({ kind, content }), context);
      assert.equal(request.kind, 'edit');
      assert.deepEqual([...request.protections], [['/ws/.vscode/tasks.json', 'VS Code runs it']]);
    }
  });

  it('has no protection if nothing is changed or it cannot be determined', async () => {
    const reading = call({ kind: 'read', locations: [{ path: '/ws/.vscode/tasks.json' }] });
    assert.equal((await toToolRequest(reading, context)).protections.size, 0);
    const failing = { ...context, protectionOf: () => Promise.reject(new Error('gone')) };
    const editing = call({ kind: 'edit', locations: [{ path: '/ws/a' }] });
    assert.equal((await toToolRequest(editing, failing)).isUnresolved, true);
  });

  it('names the tool, or what the request is called if its kind says nothing else', async () => {
    const toolOf = async (members: Partial<CallDescription>) => (await toToolRequest(call(members), context)).tool;
    assert.equal(await toolOf({ kind: 'other', title: 'Delete (db)' }), 'Delete (db)');
    assert.equal(await toolOf({ kind: 'other', title: 'Delete', name: 'db_delete' }), 'db_delete');
    assert.equal(await toolOf({ kind: 'other', title: undefined }), undefined);
    assert.equal(await toolOf({ kind: 'read', title: 'Read' }), undefined);
    const context_ = createApprovalContext(edit, {
      agent: 'Demo',
      folder: '/ws',
      call: call({ title: 'List', name: 'db_delete' }),
    });
    assert.deepEqual([context_['tool'], context_['title']], ['db_delete', 'List']);
  });

  it('has everything else of the input, and a folder even without a command', async () => {
    const request = await toToolRequest(
      call({ kind: 'other', rawInput: { cwd: '/ws', env: { B: '1', A: '2' }, sandbox: false, description: 'x' } }),
      context,
    );
    assert.deepEqual(request.env, { A: '2', B: '1' });
    assert.deepEqual(request.input, { cwd: '"/ws"', sandbox: 'false' });
    assert.deepEqual(request.escalations, { sandbox: false });
  });

  it('is a command with its environment in a terminal of ours', () => {
    const request = toTerminalToolRequest('demo', { argv: ['git', 'status'], cwd: '/ws', env: { Z: '1', PATH: '/x' } });
    assert.deepEqual(Object.entries(request.env), [
      ['PATH', '/x'],
      ['Z', '1'],
    ]);
  });
});

describe('the question about a request', () => {
  const about = { title: undefined, cwd: '/ws' };
  const prompt = (request: ToolRequest) => describePermissionRequest('Demo', request, about);

  it('names what is in the folder of the session from there, as far as it is known to be in there', () => {
    assert.equal(prompt(run), 'Demo wants to run npm test');
    const paths = ['/ws/src/a.ts', '/ws', '/wsx/b.ts'];
    assert.equal(prompt({ ...edit, paths }), 'Demo wants to edit src/a.ts, /ws, /wsx/b.ts');
    const refused = { ...edit, paths: ['/ws/../etc/passwd'], isUnresolved: true };
    assert.equal(prompt(refused), 'Demo wants to edit /ws/../etc/passwd');
    const windows = describePermissionRequest(
      'Demo',
      { ...edit, paths: ['C:\\ws\\a.ts'] },
      { ...about, cwd: 'C:\\ws' },
    );
    assert.equal(windows, 'Demo wants to edit a.ts');
  });

  it('names the variables that are set', () => {
    assert.equal(prompt({ ...run, env: { PATH: '/x' } }), 'Demo wants to run npm test with PATH set');
    const env = { A: '1', B: '2', C: '3', D: '4', E: '5' };
    assert.equal(prompt({ ...run, env }), 'Demo wants to run npm test with A, B, C and 2 more set');
  });

  it('is described in text that its contents cannot manipulate', () => {
    const argv = ['rm', '-rf', 'a b', "it's", '', 'x\n\u001b[2K\u202e'];
    assert.equal(
      describePermissionRequest('Demo', { ...run, command: { argv, cwd: '/ws' } }, { title: undefined, cwd: '/other' }),
      "Demo wants to run rm -rf 'a b' 'it'\\''s' '' 'x\\n[U+001B][2K[U+202E]' in /ws",
    );
    assert.equal(
      describePermissionRequest('Demo', { ...edit, paths: [] }, { title: 'Fine\r\u2066', cwd: '/ws' }),
      'Request from Demo: Fine[U+000D][U+2066]',
    );
  });

  it('shows a command as the line it is or as its arguments, with environment, escalations and warnings', () => {
    const shown = (argv: string[]) =>
      createApprovalContext({ ...run, command: { argv, cwd: '/ws' } }, { agent: 'Demo', folder: '/ws' }).command;
    assert.equal(shown(['npm test']), 'npm test');
    assert.deepEqual(shown(['npm', 'test']), ['npm', 'test']);
    const request = { ...run, env: { PATH: '/x' }, escalations: { sandbox: false } };
    assert.deepEqual(createApprovalContext(request, { agent: 'Demo', folder: '/ws', warnings: ['Careful.'] }), {
      agent: 'Demo',
      kind: 'execute',
      folder: '/ws',
      command: ['npm', 'test'],
      cwd: '/ws',
      env: { PATH: '/x' },
      escalations: { sandbox: false },
      warnings: ['Careful.'],
    });
  });
});
