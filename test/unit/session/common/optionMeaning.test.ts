import assert from 'node:assert/strict';
import { guessKind, nameContradictsKind } from '../../../../src/session/common/optionMeaning';
import type { ApprovalOptionKind } from '../../../../src/session/common/sessionEvents';
import { honestNames } from './support/honestNames';

const kinds = ['allow_once', 'allow_always', 'reject_once', 'reject_always'] as const;

describe('a name that contradicts the kind of its option', () => {
  it('is none that known agents use', () => {
    for (const [name, kind] of honestNames) assert.ok(!nameContradictsKind({ name, kind }), name);
  });

  it('lets a reader expect the opposite; one that only leaves it open is none', () => {
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

  it('refers to more than one request and answers one', () => {
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
});

describe('the kind of an option that comes without one', () => {
  const expected: Readonly<Record<ApprovalOptionKind | 'other', readonly string[]>> = {
    allow_once: ['Allow', 'yes', 'Allow once', 'Run once', 'OK', 'Approve', 'Yes, proceed', 'Apply', 'allow_once'],
    allow_always: [
      'AlwaysAllow',
      'AllowAll',
      'Allow All',
      'Always Allow in project: seq *',
      'Allow All Edits',
      "Yes, and don't ask again for npm",
      'Yes, and don’t ask again',
      'Allow for this session',
      'allow_always',
      'Allow every time',
      'Trust this folder',
    ],
    reject_once: [
      'Deny',
      'No',
      'no.',
      "Don't Allow",
      'Do not run',
      'Cancel',
      'Skip',
      'Reject with feedback',
      'No, keep it',
    ],
    reject_always: ['Deny All', 'AlwaysDeny', 'Never allow', 'Never', 'reject_always', 'Deny for this session'],
    other: ['Edit first', 'No restrictions', 'Revoke', 'Ask me later', 'Allow or skip', '', '¯\\_(ツ)_/¯'],
  };
  for (const kind of [...kinds, 'other'] as const) {
    it(`is ${kind} for its usual names`, () => {
      for (const label of expected[kind]) assert.equal(guessKind(label) ?? 'other', kind, label);
    });
  }
});
