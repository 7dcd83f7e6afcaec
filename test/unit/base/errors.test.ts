import assert from 'node:assert/strict';
import { errorCode, messageOf, toError, userMessageOf } from '../../../src/base/common/errors';

describe('the text of what was thrown', () => {
  for (const [says, thrown, expected] of [
    ['an error', new Error('it broke'), 'it broke'],
    ['a text', 'it broke', 'it broke'],
    ['nothing', undefined, 'undefined'],
    ['an object without a text', Object.create(null), 'It has no message.'],
    [
      'an object whose text throws',
      {
        toString(): string {
          throw new Error('hostile');
        },
      },
      'It has no message.',
    ],
    ['an error whose message is no text', Object.assign(new Error(), { message: 7 }), '7'],
  ] as const satisfies readonly (readonly [string, unknown, string])[]) {
    it(`is there for ${says}`, () => assert.equal(messageOf(thrown), expected));
  }
});

describe('errorCode', () => {
  for (const [says, thrown, expected] of [
    ['an error with a code', Object.assign(new Error('gone'), { code: 'ENOENT' }), 'ENOENT'],
    ['an error without one', new Error('gone'), undefined],
    ['an error whose code is a number', Object.assign(new Error('gone'), { code: 2 }), undefined],
    ['an object that is no error', { code: 'ENOENT' }, undefined],
    ['a string', 'ENOENT', undefined],
    ['undefined', undefined, undefined],
  ] as const satisfies readonly (readonly [string, unknown, string | undefined])[]) {
    it(`is ${expected ?? 'undefined'} for ${says}`, () => assert.equal(errorCode(thrown), expected));
  }
});

describe('toError', () => {
  it('keeps an error, and makes one of anything else', () => {
    const error = new Error('kept');
    assert.equal(toError(error), error);
    assert.equal(toError('text').message, 'text');
  });
});

describe('userMessageOf', () => {
  const raw = (code: string): Error => Object.assign(new Error(`${code}: raw`), { code, syscall: 'open' });

  it('replaces errors of the system with plain words, if it has any', () => {
    assert.equal(userMessageOf(raw('ENOSPC')), 'The disk is full.');
    assert.equal(userMessageOf(raw('ESTRANGE')), 'ESTRANGE: raw');
  });

  it('keeps other errors, also with such a code', () => {
    assert.equal(
      userMessageOf(Object.assign(new Error('No space for notes'), { code: 'ENOSPC' })),
      'No space for notes',
    );
    assert.equal(userMessageOf({ syscall: 'open', toString: () => 'an object' }), 'an object');
    assert.equal(userMessageOf('text'), 'text');
  });
});
