import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ApprovalOptionKind } from '../../../../../src/session/common/sessionEvents';
import { uniqueOptionNames } from '../../../../../src/session/common/engine/optionNames';
import type { NamedOption } from '../../../../../src/session/common/optionMeaning';
import { honestNames } from '../../../session/common/support/honestNames';

const kinds: readonly ApprovalOptionKind[] = ['allow_once', 'allow_always', 'reject_once', 'reject_always'];

/** Nothing had to be added to the name. */
const saysItsKind = (option: NamedOption): boolean => uniqueOptionNames([option])[0] === option.name;

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
  for (const [name, kind] of honestNames) {
    it(`'${name}' says that it is ${kind}`, () => assert.ok(saysItsKind({ name, kind })));
  }

  for (const [name, kind] of lies) {
    it(`'${name}' does not say that it is ${kind}, so that is added`, () => {
      assert.ok(!saysItsKind({ name, kind }));
      const [shown = ''] = uniqueOptionNames([{ name, kind }]);
      assert.match(shown, kind.startsWith('allow') ? / \(.*allows.*\)$/ : / \(.*denies.*\)$/);
    });
  }

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
