import assert from 'node:assert/strict';
import { interpreterOf } from '../../../../../src/acp/common/catalogue/shebang';

describe('the interpreter of a script', () => {
  const cases: readonly [string, string | undefined][] = [
    ['#!/usr/bin/env node\nconsole.log()', 'node'],
    ['#!/usr/bin/env node\r\n', 'node'],
    ['#! /usr/bin/env  python3', 'python3'],
    ['#!/usr/bin/env -S node --no-warnings\n', 'node'],
    ['#!/usr/bin/env -Snode --no-warnings\n', 'node'],
    ['#!/usr/bin/env -iS FOO=1 deno run\n', 'deno'],
    ['#!/usr/bin/node --flag\n', '/usr/bin/node'],
    ['#!/nix/store/abc-env-1/bin/sh\n', '/nix/store/abc-env-1/bin/sh'],
    ['#!/usr/bin/env\n', '/usr/bin/env'],
    ['#!\n', undefined],
    ['\u007fELF', undefined],
    ['echo "#!/bin/sh"', undefined],
    ['', undefined],
  ];
  for (const [head, expected] of cases) {
    it(`of ${JSON.stringify(head)} is ${expected ?? 'none'}`, () => assert.equal(interpreterOf(head), expected));
  }
});
