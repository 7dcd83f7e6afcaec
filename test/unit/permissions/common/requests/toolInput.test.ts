import assert from 'node:assert/strict';
import { canonicalJson } from '../../../../../src/base/common/canonicalJson';
import { findEscalations } from '../../../../../src/permissions/common/requests/escalations';
import { parseToolInput } from '../../../../../src/permissions/common/requests/toolInput';

describe("a tool's input", () => {
  it('is a command, its arguments, folder and environment, and every other member', () => {
    const raw = {
      command: 'make',
      args: ['deploy'],
      workdir: '/ws/lib',
      env: { B: '2', A: 1, C: true },
      description: 'Build it',
      timeout: 5000,
      z: { b: [1, { d: 1, c: 2 }], a: null },
      login: false,
    };
    assert.deepEqual(parseToolInput(raw, false), {
      argv: ['make', 'deploy'],
      cwd: '/ws/lib',
      paths: [],
      env: { A: '1', B: '2', C: 'true' },
      members: { login: 'false', z: '{"a":null,"b":[1,{"c":2,"d":1}]}' },
      escalations: {},
      isUnclear: false,
    });
  });

  it('has its environment in any of the usual forms', () => {
    for (const env of [{ A: '1' }, [{ name: 'A', value: '1' }], ['A=1']]) {
      assert.deepEqual(parseToolInput({ command: 'x', env }, false).env, { A: '1' });
    }
    assert.deepEqual(parseToolInput({ command: 'x', environment: { A: '1' } }, false).env, { A: '1' });
  });

  it('counts what is not understood: another type, a second name for the same, a member nobody knows', () => {
    const raw = {
      command: 'a',
      cmd: 'b',
      cwd: '/x',
      workdir: '/y',
      args: 'c',
      env: 'A=1',
      description: {},
      timeout: 'x',
    };
    assert.deepEqual(Object.keys(parseToolInput(raw, false).members), [
      'args',
      'cmd',
      'description',
      'env',
      'timeout',
      'workdir',
    ]);
  });

  it('may report what goes into a file only where the tool is about files and runs nothing', () => {
    const raw = { file_path: '/ws/a', old_string: 'a', new_string: 'b', edits: [{ oldText: 'a', newText: 'b' }] };
    const about = (input: Record<string, unknown>, isAboutFiles: boolean) =>
      Object.keys(parseToolInput(input, isAboutFiles).members);
    assert.deepEqual(about(raw, true), []);
    assert.deepEqual(about(raw, false), ['edits', 'new_string', 'old_string']);
    assert.deepEqual(about({ ...raw, command: 'sh' }, true), ['edits', 'new_string', 'old_string']);
    assert.deepEqual(about({ file_path: '/ws/a', edits: [{ path: '/ws/b', newText: '' }] }, true), ['edits']);
  });

  it('is unclear if a member has no canonical form', () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 10_000; depth++) deep = [deep];
    assert.equal(parseToolInput({ command: 'x', deep }, false).isUnclear, true);
    const hidden: unknown = JSON.parse('{ "a": { "__proto__": 1 } }');
    assert.equal(parseToolInput({ command: 'x', hidden }, false).isUnclear, true);
    const own = JSON.parse('{ "command": "x", "__proto__": { "a": 1 } }') as Record<string, unknown>;
    assert.equal(parseToolInput(own, false).isUnclear, true);
  });

  it('has one text for equal values, and none for other values than JSON', () => {
    assert.equal(canonicalJson({ b: 1, a: ['x', null] }), canonicalJson({ a: ['x', null], b: 1, c: undefined }));
    for (const value of [undefined, Number.NaN, () => 1, Symbol('x'), 1n])
      assert.equal(canonicalJson(value), undefined);
  });
});

describe('members that lift a restriction', () => {
  const lifting: readonly Record<string, unknown>[] = [
    { dangerouslyDisableSandbox: true },
    { with_escalated_permissions: true },
    { sandbox_permissions: 'require_escalated' },
    { sandbox_permissions: 'with_additional_permissions' },
    { sandbox: false },
    { sandbox: 'danger-full-access' },
    { sandbox_mode: 'off' },
    { mode: 'require_escalated' },
    { sudo: true },
    { bypassPermissions: 1 },
    { permissionMode: 'bypassPermissions' },
    { network_access: true },
    { options: { sandboxed: false } },
    { skip_approvals: true, skipApproval: true },
  ];
  for (const input of lifting) {
    it(`are found in ${JSON.stringify(input)}`, () => assert.notDeepEqual(findEscalations(input), {}));
  }

  it('are named with their values, those inside others too', () => {
    assert.deepEqual(findEscalations({ sandbox: false, options: { dangerous: 'yes' }, command: 'x' }), {
      sandbox: false,
      'options.dangerous': 'yes',
    });
  });

  it('are none if the restriction stays or does not exist', () => {
    for (const input of [
      { dangerouslyDisableSandbox: false },
      { with_escalated_permissions: null },
      { sandbox_permissions: 'use_default' },
      { sandbox: true, sandbox_mode: 'workspace-write' },
      { run_in_background: true },
      { command: 'sudo rm', description: 'dangerous' },
      { additional_permissions: {} },
    ])
      assert.deepEqual(findEscalations(input), {}, JSON.stringify(input));
  });
});
