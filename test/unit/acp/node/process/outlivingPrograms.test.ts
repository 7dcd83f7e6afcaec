import assert from 'node:assert/strict';
import { mayOutliveAgent } from '../../../../../src/acp/node/process/outlivingPrograms';

describe('a program that an agent has started', () => {
  const cases: readonly [string, boolean][] = [
    ['/usr/lib/firefox/firefox https://example.com', true],
    ['/opt/google/chrome/chrome --profile-directory=Default', true],
    ['/usr/bin/google-chrome-stable', true],
    ['/usr/lib/chromium/chromium --headless=new --no-sandbox', false],
    ['chrome --remote-debugging-pipe --user-data-dir=/tmp/x', false],
    ['firefox -headless', false],
    ['/usr/share/code/code /home/me/project', true],
    ['/opt/code-insiders/code-insiders --type=zygote', true],
    ['code --extensionTestsPath=/x/test --extensionDevelopmentPath=/x', false],
    ['/home/me/.vscode-server/node /x/bootstrap-fork --type=ptyHost', true],
    ['/usr/bin/emacs-29.1 --daemon', true],
    ['emacs --batch -l build.el', false],
    ['tmux new -d', true],
    ['SCREEN -dm', true],
    ['gpg-agent --homedir /home/me/.gnupg --daemon', true],
    ['adb -L tcp:5037 fork-server server --reply-fd 4', true],
    ['/usr/bin/ssh-agent -s', true],
    ['/usr/bin/dockerd --host=fd://', true],
    ['docker run alpine', false],
    ['node chrome', false],
    ['bash /usr/bin/tmux-helper', false],
    ['/usr/bin/chromedriver', false],
    ['', false],
  ];
  for (const [line, expected] of cases) {
    it(`'${line}' is ${expected ? 'spared' : 'ended with it'}`, () => {
      assert.equal(mayOutliveAgent(line.split(' '), false), expected);
    });
  }

  it('an editor that runs a script in place of Node.js is ended with it', () => {
    assert.equal(mayOutliveAgent(['/usr/share/code/code', 'server.js'], true), false);
    assert.equal(mayOutliveAgent(['tmux', 'new'], true), true);
  });
});
