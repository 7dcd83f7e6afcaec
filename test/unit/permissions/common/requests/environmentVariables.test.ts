import assert from 'node:assert/strict';
import {
  affectsCommandExecution,
  environmentEffectOf,
} from '../../../../../src/permissions/common/requests/environmentVariables';

describe('variables of the environment', () => {
  const dangerous = `PATH LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES NODE_OPTIONS NODE_PATH PYTHONPATH
    PYTHONSTARTUP PYTHONHOME GIT_SSH_COMMAND GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_EXTERNAL_DIFF BASH_ENV ENV PROMPT_COMMAND
    IFS SHELL PERL5OPT PERL5LIB RUBYOPT JAVA_TOOL_OPTIONS MY_PRELOAD EDITOR VISUAL GIT_EDITOR PAGER MANPAGER GIT_PAGER
    npm_config_script_shell NPM_CONFIG_SCRIPT_SHELL https_proxy HTTPS_PROXY HOME XDG_CONFIG_HOME BASH_FUNC_git%% CC
    MAKEFLAGS LESSOPEN ANTHROPIC_BASE_URL RUSTC_WRAPPER CARGO_HOME GOFLAGS DOTNET_STARTUP_HOOKS`.split(/\s+/);
  for (const name of dangerous) {
    it(`${name} can change what runs`, () => assert.equal(affectsCommandExecution(name, false), true));
  }

  it('that only tell a program something are not marked', () => {
    for (const name of ['CI', 'NODE_ENV', 'FORCE_COLOR', 'DEBUG', 'TERM', 'LANG', 'PORT', 'MY_PATH_HINT', '', 'path'])
      assert.equal(affectsCommandExecution(name, false), false, name);
  });

  it('are known in any case on Windows only, but for those that programs read in any case', () => {
    assert.equal(affectsCommandExecution('Path', true), true);
    assert.equal(affectsCommandExecution('node_options', true), true);
    assert.equal(affectsCommandExecution('node_options', false), false);
    assert.equal(affectsCommandExecution('Npm_Config_Prefix', false), true);
  });

  it('report what they can do', () => {
    assert.equal(environmentEffectOf('PATH', false), 'decides which program runs');
    assert.equal(environmentEffectOf('LD_PRELOAD', false), 'makes programs load code');
    assert.equal(environmentEffectOf('GIT_SSH', false), 'makes programs run commands');
    assert.equal(environmentEffectOf('HOME', false), 'changes where programs look for their settings');
    assert.equal(environmentEffectOf('http_proxy', false), 'changes which servers programs use and trust');
    assert.equal(environmentEffectOf('CI', false), undefined);
  });

  it('with line breaks in their names are not overlooked', () => {
    assert.equal(affectsCommandExecution('LD_\nX', false), true);
  });
});
