import assert from 'node:assert/strict';
import { ApprovalViews } from '../../../../src/chat/common/approvals/approvalViews';
import type { ApprovalView } from '../../../../src/chat/common/chatView';

const about = { callId: undefined, entryId: undefined, parts: undefined };

function asked(context: Record<string, unknown> | undefined, data: object = {}, prompt = 'May I?'): ApprovalView {
  const views = new ApprovalViews();
  const question = { session_id: 's', approval_id: 'a', prompt, options: ['Allow', 'Deny'], ...data };
  views.addApproval(context === undefined ? question : { ...question, context }, about, 'Demo', undefined);
  const [view] = views.viewsAt(0);
  assert.ok(view);
  return view;
}

describe('ApprovalViews', () => {
  it('shows the scope of each lasting option, whatever its label', () => {
    const options = ['Run once', 'Run always', 'constructor'];
    const context = { command: 'npm test', scopes: { 'Run always': 'npm test, in this folder' } };
    const view = asked(context, { options });
    assert.deepEqual(
      view.options.map(({ scope }) => scope),
      [undefined, 'npm test, in this folder', undefined],
    );
    assert.deepEqual(view.parts, [{ type: 'terminal', command: 'npm test', output: '' }]);
  });

  it('gives a changed request the place of the earlier one, and every other one the last', () => {
    const views = new ApprovalViews();
    const add = (approval_id: string, callId: string): void =>
      views.addApproval(
        { session_id: 's', approval_id, prompt: 'p', options: ['Deny'] },
        { ...about, callId },
        'Demo',
        undefined,
      );
    const close = (approval_id: string, reason: string) =>
      views.resolveApproval({ session_id: 's', approval_id, decision: '', reason }, false);
    const ids = () => views.viewsAt(0).map(({ id }) => id);
    for (const id of ['1', '2', '3']) add(id, `call ${id}`);
    close('2', 'The request has changed.');
    assert.deepEqual(ids(), ['1', '3']);
    add('4', 'call 4');
    add('2 again', 'call 2');
    assert.deepEqual(ids(), ['1', '2 again', '3', '4']);
    close('1', 'The request was withdrawn.');
    add('1 again', 'call 1');
    assert.deepEqual(ids(), ['2 again', '3', '4', '1 again']);
  });

  it('makes diffs compact when they are read, and once', () => {
    const views = new ApprovalViews();
    let reads: string[] = [];
    const diff = {
      type: 'diff' as const,
      path: 'a.ts',
      change: 'modified' as const,
      added: 0,
      removed: 0,
      get hunks() {
        reads.push('lines');
        return [];
      },
    };
    const add = (approval_id: string): void =>
      views.addApproval(
        { session_id: 's', approval_id, prompt: 'p', options: ['Deny'] },
        { ...about, parts: { parts: [diff], diffs: [undefined] } },
        'Demo',
        undefined,
      );
    add('decided before');
    views.resolveApproval({ session_id: 's', approval_id: 'decided before', decision: 'Deny' }, false);
    add('pending');
    assert.equal(views.count, 1);
    assert.deepEqual(reads, []);
    assert.equal(views.viewsAt(0).length, 1);
    assert.notDeepEqual(reads, []);
    reads = [];
    views.setState('pending', 'answering');
    assert.equal(views.viewsAt(0)[0]?.parts[0]?.type, 'diff');
    assert.deepEqual(reads, []);
  });

  it('uses the reported kinds only if there is one for each option', () => {
    const options = ['Allow', 'Deny'];
    const kindsOf = (option_kinds: string[]) => asked({}, { options, option_kinds }).options.map(({ kind }) => kind);
    assert.deepEqual(kindsOf(['allow_always', 'reject_once']), ['allow_always', 'reject_once']);
    assert.deepEqual(kindsOf(['reject_once']), ['allow_once', 'reject_once']);
  });

  it('marks options with misleading labels, both detected and reported ones', () => {
    const view = asked(
      { misnamed: ['Weiter'] },
      {
        options: ['Deny', 'Weiter', 'Allow', 'Allow for this session', 'Allow once', 'Always allow'],
        option_kinds: ['allow_always', 'allow_always', 'allow_once', 'allow_once', 'allow_always', 'allow_always'],
      },
    );
    assert.deepEqual(
      view.options.map(({ isMisnamed }) => isMisnamed ?? false),
      [true, true, false, true, true, false],
    );
  });

  it('shows every environment variable and which of them change what runs', () => {
    const variables = { PATH: '/tmp/fakebin', CI: '1' };
    const expected = [
      { name: 'PATH', value: '/tmp/fakebin', effect: 'decides which program runs' },
      { name: 'CI', value: '1' },
    ];
    const list = Object.entries(variables).map(([name, value]) => ({ name, value }));
    const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
    for (const env of [variables, list, lines]) {
      const told = asked({ command: 'git status', env });
      assert.deepEqual([told.env, told.more], [expected, undefined]);
      const ofInput = asked({ input: { command: 'git status', env } });
      assert.deepEqual([ofInput.env, ofInput.more], [expected, undefined]);
      assert.equal(ofInput.parts[0]?.type, 'terminal');
    }
    assert.deepEqual(asked({ command: 'x', env: { A: 1 } }).env, [{ name: 'A', value: '1' }]);
  });

  it('reads environment variables from every member name that agents use, and ignores other lists', () => {
    const view = asked({ input: { command: 'make', environment: { LD_PRELOAD: '/tmp/x.so' } } });
    assert.deepEqual(view.env, [{ name: 'LD_PRELOAD', value: '/tmp/x.so', effect: 'makes programs load code' }]);
    assert.equal(view.more, undefined);
    assert.equal(asked({ command: 'make', environment: { A: '1' } }).env?.[0]?.name, 'A');
    const deploy = asked({ input: { command: 'deploy', environment: 'production' } });
    assert.deepEqual([deploy.env, deploy.more], [undefined, [{ name: 'environment', value: 'production' }]]);
  });

  it('shows a repeated variable once, and marks one that has two values', () => {
    const input = { command: 'make', env: { CI: '1', MODE: 'test' } };
    assert.deepEqual(asked({ env: { CI: '1', MODE: 'test' }, input }).env, [
      { name: 'CI', value: '1' },
      { name: 'MODE', value: 'test' },
    ]);
    const effect = 'is set to more than one value';
    assert.deepEqual(asked({ env: { CI: '1', MODE: 'live' }, input }).env, [
      { name: 'CI', value: '1' },
      { name: 'MODE', value: 'live', effect },
      { name: 'MODE', value: 'test', effect },
    ]);
    const paths = asked({ env: { PATH: '/a' }, input: { command: 'make', env: { PATH: '/b' } } }).env ?? [];
    assert.deepEqual(
      paths.map((variable) => variable.effect),
      Array<string>(2).fill(`decides which program runs, and ${effect}`),
    );
  });

  it('shows escalations separately, and only once', () => {
    const input = { command: 'make', dangerouslyDisableSandbox: true, with_escalated_permissions: true };
    const view = asked({ input, escalations: { dangerouslyDisableSandbox: true } });
    const expected = [
      { name: 'dangerouslyDisableSandbox', value: 'true' },
      { name: 'with_escalated_permissions', value: 'true' },
    ];
    assert.deepEqual([view.escalations, view.more], [expected, undefined]);
  });

  it('detects escalations that the server does not report', () => {
    const expected = [{ name: 'dangerouslyDisableSandbox', value: 'true' }];
    const input = { command: 'make', dangerouslyDisableSandbox: true };
    for (const context of [{ input }, { input, escalations: {} }, { input, escalations: 'none' }, input]) {
      assert.deepEqual(asked(context).escalations, expected);
    }
    assert.equal(asked({ input: { command: 'make' } }).escalations, undefined);
  });

  it('shows every field: unknown ones, those of another shape, and the second of two commands', () => {
    const view = asked({
      command: ['git', 'commit', '-m', 'two words'],
      paths: 'not a list',
      plan: null,
      timeout_ms: 5,
      input: { command: 'git', cmd: 'rm -rf /', file_path: '/ws/a.ts', content: 'text', description: 'Commit' },
    });
    assert.deepEqual(view.parts, [
      { type: 'terminal', command: "git commit -m 'two words'", output: '' },
      { type: 'file', path: '/ws/a.ts', text: 'text' },
    ]);
    assert.deepEqual(view.more, [
      { name: 'paths', value: 'not a list' },
      { name: 'timeout_ms', value: '5' },
      { name: 'command', value: 'git' },
      { name: 'cmd', value: 'rm -rf /' },
      { name: 'description', value: 'Commit' },
    ]);
  });

  it('has the description of a command as the title, and keeps one that is no title, or of no command, below More', () => {
    const input = { command: 'npm test', description: 'Run the tests' };
    const view = asked({ input }, {}, 'Demo wants to run npm test');
    assert.deepEqual([view.title, view.more], ['“Run the tests”', undefined]);
    for (const prompt of ['May I?', 'Demo wants to run in a shell (zsh): npm test', 'Other wants to run npm test']) {
      const other = asked({ input }, {}, prompt);
      assert.deepEqual(
        [other.title, other.more],
        [undefined, [{ name: 'description', value: 'Run the tests' }]],
        prompt,
      );
    }
    for (const input of [
      { command: 'npm test', description: 'Run\nthe tests' },
      { command: 'npm test', description: 'x'.repeat(121) },
      { command: 'npm test', description: 5 },
      { url: 'https://example.com', description: 'Fetch' },
    ]) {
      const other = asked({ input });
      assert.deepEqual([other.title, other.more?.map(({ name }) => name)], [undefined, ['description']]);
    }
  });

  it('names the kind of a script in a here-document, and only of what is nothing else', () => {
    const titleOf = (command: string) => asked({ command }, {}, `Demo wants to run ${command}`).title;
    assert.equal(titleOf("python3 - <<'EOF'\nimport os\nprint(1)\nEOF\n"), 'Run a Python script (2 lines)');
    assert.equal(titleOf('node <<"END"\n1\nEND'), 'Run a JavaScript script (1 line)');
    for (const command of [
      'python3 - <<EOF\n$(rm -rf ~)\nEOF',
      "python3 - <<'EOF'; rm -rf ~\n1\nEOF",
      "python3 - <<'EOF'\n1\nEOF\nrm -rf ~",
      "python3 - <<'EOF'\n1\nEOF\nrm -rf ~\nEOF",
      "python3 evil.py - <<'EOF'\n1\nEOF",
      "./python3 - <<'EOF'\n1\nEOF",
      'python3 evil.py',
    ]) {
      assert.equal(titleOf(command), undefined, command);
    }
  });

  it('shows an argument list as the command, and does not repeat it', () => {
    const view = asked({ input: { argv: ['ls', '-l'] } });
    assert.deepEqual([view.parts[0], view.more], [{ type: 'terminal', command: 'ls -l', output: '' }, undefined]);
  });

  it('shows an address as a link, together with the other fields', () => {
    const view = asked({ input: { url: 'https://example.com/a', prompt: 'Summarise' } });
    assert.deepEqual(view.parts, [{ type: 'link', uri: 'https://example.com/a' }]);
    assert.deepEqual(view.more, [{ name: 'prompt', value: 'Summarise' }]);
  });

  it('shows the whole input of an unknown tool', () => {
    const view = asked({ input: { query: 'SELECT 1', env: { PATH: '.' } } });
    assert.deepEqual(view.parts, [{ type: 'json', json: '{\n  "query": "SELECT 1"\n}' }]);
    assert.equal(view.env?.[0]?.effect, 'decides which program runs');
    assert.equal(view.more, undefined);
  });

  it('shows the working folder unless it is the folder of the conversation', () => {
    assert.equal(asked({ command: 'ls', cwd: '/ws', folder: '/ws' }).cwd, undefined);
    assert.equal(asked({ command: 'ls', cwd: '/tmp', folder: '/ws' }).cwd, '/tmp');
    assert.equal(asked({ command: 'ls', cwd: '/tmp' }).cwd, '/tmp');
    const ofInput = asked({ folder: '/ws', input: { command: 'ls', workdir: '/tmp' } });
    assert.deepEqual([ofInput.cwd, ofInput.more], ['/tmp', undefined]);
  });

  it('lists the files that no other part names', () => {
    const content = [{ type: 'diff', path: 'src/a.ts', old_text: 'a', new_text: 'b' }];
    assert.equal(asked({ content, paths: ['/ws/src/a.ts'] }).parts.length, 1);
    assert.deepEqual(asked({ paths: ['/ws/.env'] }).parts, [{ type: 'list', items: ['/ws/.env'] }]);
  });

  it('reports an approval that does not report what will run, and then shows a long prompt in full', () => {
    assert.deepEqual([asked(undefined).isUndescribed, asked(undefined).parts], [true, []]);
    const prompt = `Run this?\n${'echo '.repeat(50)}`;
    const view = asked(undefined, {}, prompt);
    assert.deepEqual([view.isUndescribed, view.parts], [true, [{ type: 'text', text: prompt, plain: true }]]);
    assert.equal(asked({ tool: 'bash' }).isUndescribed, undefined);
    assert.equal(asked({ command: 'ls' }).isUndescribed, undefined);
  });
});
