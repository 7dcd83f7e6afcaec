import assert from 'node:assert/strict';
import { htmlViewFile } from '../../../../src/platform/common/htmlView';

describe('The file of a view', () => {
  it('begins with a policy that lets the document load, run and send nothing', () => {
    const file = htmlViewFile('<!doctype html><html><head><title>A</title></head><p>b</p></html>');
    const [, policy = '', rest = ''] =
      /^<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="([^"]*)">(.*)/s.exec(
        file,
      ) ?? [];
    assert.match(policy, /^default-src 'none';/);
    assert.match(policy, /form-action 'none'/);
    assert.doesNotMatch(policy, /script-src|https?:|\*/);
    assert.match(rest, /<title>A<\/title>.*<p>b<\/p>/s);
  });

  it('does not leave for another address by itself', () => {
    const file = htmlViewFile('<META HTTP-EQUIV=refresh content="0;url=https://a.example/">');
    assert.equal(file.match(/(?<!data-)http-equiv/gi)?.length, 1);
  });
});
