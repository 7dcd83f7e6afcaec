import assert from 'node:assert/strict';
import { errorCode, messageOf } from '../../../src/base/common/errors';

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
