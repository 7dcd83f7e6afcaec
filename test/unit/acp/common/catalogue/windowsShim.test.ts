import assert from 'node:assert/strict';
import { parseWindowsShim } from '../../../../../src/acp/common/catalogue/windowsShim';

const folder = 'C:\\Users\\Ada Lovelace\\npm';
const crlf = (...lines: string[]): string => `${lines.join('\r\n')}\r\n`;

describe('the shims of package managers on Windows', () => {
  it('of npm start the node beside them, or the one on PATH', () => {
    const text = crlf(
      '@ECHO off',
      'GOTO start',
      ':find_dp0',
      'SET dp0=%~dp0',
      'EXIT /b',
      ':start',
      'SETLOCAL',
      'CALL :find_dp0',
      '',
      'IF EXIST "%dp0%\\node.exe" (',
      '  SET "_prog=%dp0%\\node.exe"',
      ') ELSE (',
      '  SET "_prog=node"',
      '  SET PATHEXT=%PATHEXT:;.JS;=;%',
      ')',
      '',
      'endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%"  "%dp0%\\node_modules\\agent\\cli.js" %*',
    );
    assert.deepEqual(parseWindowsShim(text, folder), {
      programs: [`${folder}\\node.exe`, 'node'],
      args: [`${folder}\\node_modules\\agent\\cli.js`],
    });
  });

  it('of npm keep the flags of the interpreter', () => {
    const text = crlf('  SET "_prog=node"', '"%_prog%" --no-warnings "%dp0%\\cli.js" %*');
    assert.deepEqual(parseWindowsShim(text, folder)?.args, ['--no-warnings', `${folder}\\cli.js`]);
  });

  it('of npm for a program of its own start that program', () => {
    const text = crlf('@ECHO off', 'SETLOCAL', 'CALL :find_dp0', '"%dp0%\\node_modules\\agent\\bin\\agent.exe"   %*');
    assert.deepEqual(parseWindowsShim(text, folder), {
      programs: [`${folder}\\node_modules\\agent\\bin\\agent.exe`],
      args: [],
    });
  });

  it('of pnpm start the script that both of their lines name', () => {
    const text = crlf(
      '@SETLOCAL',
      '@IF NOT DEFINED NODE_PATH (',
      '  @SET "NODE_PATH=C:\\store\\node_modules"',
      ')',
      '@IF EXIST "%~dp0\\node.exe" (',
      '  "%~dp0\\node.exe"  "%~dp0\\..\\agent\\dist\\cli.js" %*',
      ') ELSE (',
      '  @SET PATHEXT=%PATHEXT:;.JS;=;%',
      '  node  "%~dp0\\..\\agent\\dist\\cli.js" %*',
      ')',
    );
    assert.deepEqual(parseWindowsShim(text, folder), {
      programs: [`${folder}\\node.exe`, 'node'],
      args: ['C:\\Users\\Ada Lovelace\\agent\\dist\\cli.js'],
    });
  });

  it('of yarn start node with the script', () => {
    const text = crlf('@node "%~dp0\\..\\agent\\cli.js" %*');
    assert.deepEqual(parseWindowsShim(text, `${folder}\\`), {
      programs: ['node'],
      args: ['C:\\Users\\Ada Lovelace\\agent\\cli.js'],
    });
  });

  const others: readonly [string, string][] = [
    ['does not pass its arguments on', crlf('@echo off', 'echo hello')],
    ['needs a variable of the shell', crlf('"%LOCALAPPDATA%\\agent\\agent.exe" %*')],
    ['does different things in two lines', crlf('a.exe one %*', 'a.exe two %*')],
    ['is empty', ''],
  ];
  for (const [name, text] of others) {
    it(`leave a batch file alone that ${name}`, () => assert.equal(parseWindowsShim(text, folder), undefined));
  }
});
