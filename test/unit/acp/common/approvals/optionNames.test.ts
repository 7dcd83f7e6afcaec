import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ApprovalOptionKind } from '../../../../../src/session/common/sessionEvents';
import {
  nameContradictsKind,
  uniqueOptionNames,
  type NamedOption,
} from '../../../../../src/acp/common/approvals/optionNames';

const kinds: readonly ApprovalOptionKind[] = ['allow_once', 'allow_always', 'reject_once', 'reject_always'];

/** Nothing had to be added to the name. */
const saysItsKind = (option: NamedOption): boolean => uniqueOptionNames([option])[0] === option.name;

/** What the known agents call their options, and Backline its own. */
const honest: readonly (readonly [string, ApprovalOptionKind])[] = [
  ['Allow', 'allow_once'],
  ['Allow once', 'allow_once'],
  ['Yes', 'allow_once'],
  ['Yes, proceed', 'allow_once'],
  ['Run once', 'allow_once'],
  ['Apply', 'allow_once'],
  ['Overwrite my changes', 'allow_once'],
  ['Always allow', 'allow_always'],
  ['Allow All', 'allow_always'],
  ['Allow All Edits', 'allow_always'],
  ['Always Allow in project: seq *', 'allow_always'],
  ['Allow for this session', 'allow_always'],
  ["Yes, and don't ask again for this command", 'allow_always'],
  ['Yes, and don’t ask again', 'allow_always'],
  ['Yes, and auto-accept edits', 'allow_always'],
  ['Run always in this session', 'allow_always'],
  ['Deny', 'reject_once'],
  ['Reject', 'reject_once'],
  ['No, keep planning', 'reject_once'],
  ["No, don't run it", 'reject_once'],
  ['Do not run', 'reject_once'],
  ['Keep my changes', 'reject_once'],
  ['Cancel', 'reject_once'],
  ['Always deny', 'reject_always'],
  ['Deny All', 'reject_always'],
  ['Never allow', 'reject_always'],
];

const lies: readonly (readonly [string, ApprovalOptionKind])[] = [
  ['Deny', 'allow_always'],
  ['Reject', 'allow_once'],
  ['No', 'allow_once'],
  ['Cancel', 'allow_once'],
  ['Do not allow', 'allow_once'],
  ['Allow', 'allow_always'],
  ['Allow once', 'allow_always'],
  ['Allow, only this time, for all', 'allow_always'],
  ['Always allow', 'allow_once'],
  ['Allow', 'reject_once'],
  ['Deny', 'reject_always'],
  ['Allow, never deny', 'reject_always'],
  ['Ｄｅｎｙ', 'allow_once'],
  ['Ablehnen', 'allow_always'],
  ['Аllow', 'allow_once'],
  ['', 'allow_once'],
];

describe('the names of options', () => {
  for (const [name, kind] of honest) {
    it(`'${name}' says that it is ${kind}`, () => assert.ok(saysItsKind({ name, kind })));
  }

  for (const [name, kind] of lies) {
    it(`'${name}' does not say that it is ${kind}, so that is added`, () => {
      assert.ok(!saysItsKind({ name, kind }));
      const [shown = ''] = uniqueOptionNames([{ name, kind }]);
      assert.match(shown, kind.startsWith('allow') ? / \(.*allows.*\)$/ : / \(.*denies.*\)$/);
    });
  }

  it('that are honest contradict nothing', () => {
    for (const [name, kind] of honest) assert.ok(!nameContradictsKind({ name, kind }), name);
  });

  it('contradict their kind where a reader expects the opposite, not where they only leave it open', () => {
    const contradicting: readonly (readonly [string, ApprovalOptionKind])[] = [
      ['Deny', 'allow_always'],
      ['No', 'allow_once'],
      ['Do not allow', 'allow_once'],
      ['Allow', 'reject_once'],
      ['Allow', 'allow_always'],
      ['Allow once', 'allow_always'],
      ['Deny this time', 'reject_always'],
      ['Always allow', 'allow_once'],
      ["Yes, and don't ask again", 'allow_once'],
      ['Allow just this once', 'allow_always'],
    ];
    for (const [name, kind] of contradicting) assert.ok(nameContradictsKind({ name, kind }), `${name} ${kind}`);
    for (const name of ['Go', 'Ablehnen', '', '2']) {
      for (const kind of kinds) assert.ok(!nameContradictsKind({ name, kind }), `${name} ${kind}`);
    }
    assert.ok(!nameContradictsKind({ name: 'Deny', kind: 'reject_always' }));
  });

  it('contradict a one-time kind if the name refers to more than one request', () => {
    const names = [
      'Yes, allow all edits during this session',
      'Allow for this session',
      'Allow only this session',
      'AllowForSession',
      'allow_always',
      'Trust this folder',
      'Yes, and bypass permissions',
      'Yes, and auto-accept edits',
      'Approve automatically',
      'Allow in this project',
      'Run every command of this conversation',
      'Allow from now on',
    ];
    for (const name of names) {
      assert.ok(nameContradictsKind({ name, kind: 'allow_once' }), name);
      assert.ok(!nameContradictsKind({ name, kind: 'allow_always' }), name);
    }
    assert.ok(nameContradictsKind({ name: 'Deny for this session', kind: 'reject_once' }));
    assert.ok(!nameContradictsKind({ name: 'Allow once in this folder', kind: 'allow_once' }));
  });

  it('never let one name pass for both allowing and rejecting, or for once and always', () => {
    const words = fc.constantFrom('allow', 'deny', 'always', 'once', "don't ask again", 'not', 'all', 'yes', 'x');
    fc.assert(
      fc.property(fc.array(words, { maxLength: 6 }), (parts) => {
        const name = parts.join(' ');
        const meanings = kinds.filter((kind) => saysItsKind({ name, kind }));
        assert.ok(meanings.length <= 1, `${name}: ${meanings.join()}`);
      }),
    );
  });

  it('are each there once, since answers come by name', () => {
    const option = fc.record({
      name: fc.constantFrom('Allow', ' allow', 'Deny', 'x'),
      kind: fc.constantFrom(...kinds),
    });
    fc.assert(
      fc.property(fc.array(option, { maxLength: 8 }), (options) => {
        assert.equal(new Set(uniqueOptionNames(options)).size, options.length);
      }),
    );
  });
});
