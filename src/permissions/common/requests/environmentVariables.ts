// Environment variables that affect what a command runs, loads or connects to. The list includes variables that are
// often harmless, to be safe.

/** Text that follows the name of the variable. Example: `PATH decides which program runs`. */
type EnvironmentEffect =
  | 'decides which program runs'
  | 'makes programs load code'
  | 'makes programs run commands'
  | 'changes where programs look for their settings'
  | 'changes which servers programs use and trust';

/**
 * The effects and the names that have them. `*` matches any characters. Names are case-sensitive, except those that
 * match `caseInsensitiveNames`.
 */
const effects: readonly (readonly [EnvironmentEffect, string])[] = [
  [
    'decides which program runs',
    `PATH PATHEXT COMSPEC SHELL CDPATH IFS FPATH SYSTEMROOT WINDIR WSLENV HASHCMDS JAVA_HOME JRE_HOME GOROOT GOTOOLCHAIN
    GOTOOLDIR CC CXX CPP AR AS LD NM RANLIB STRIP FC MAKE CMAKE CMAKE_* RUSTC RUSTC_* RUSTUP_* CARGO_* PKG_CONFIG
    PKG_CONFIG_* GCC_EXEC_PREFIX COMPILER_PATH VIRTUAL_ENV CONDA_* COREPACK_* VOLTA_* PYENV_* RBENV_* NVM_* ASDF_*
    MISE_* ELECTRON_* DOCKER_* COMPOSE_* ANDROID_HOME ANDROID_SDK_ROOT`,
  ],
  [
    'makes programs load code',
    `LD_* DYLD_* *_PRELOAD LIBPATH SHLIB_PATH LIBRARY_PATH CPATH GCONV_PATH GLIBC_TUNABLES LOCPATH NODE_OPTIONS NODE_PATH
    NODE_REPL_EXTERNAL_MODULE TS_NODE_* DENO_* BUN_* PYTHON* PERL5* PERL_* PERLLIB RUBYOPT RUBYLIB RUBY_* GEM_* BUNDLE_*
    JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS JAVA_OPTS CLASSPATH MAVEN_* MVN_* GRADLE_* ANT_OPTS ANT_ARGS SBT_OPTS
    JRUBY_OPTS DOTNET_* CORECLR_* COR_* COMPLUS_* MSBUILD* NUGET_* PHPRC PHP_INI_SCAN_DIR LUA_* R_PROFILE* R_ENVIRON*
    R_LIBS* JULIA_* ERL_* ELIXIR_* MIX_* GHC_* CAML_LD_LIBRARY_PATH TCLLIBPATH GUILE_* EMACSLOADPATH EMACSPATH PSMODULEPATH
    GOFLAGS GOPATH RUSTFLAGS RUSTDOCFLAGS OPENSSL_* GTK_MODULES GTK_PATH GIO_* QT_PLUGIN_PATH VK_* PKCS11_* TF_* VITE_*
    JEST_* ESLINT_*`,
  ],
  [
    'makes programs run commands',
    `BASH_ENV ENV BASH_FUNC_* BASHOPTS SHELLOPTS PROMPT_COMMAND PS0 PS1 PS2 PS4 NULLCMD READNULLCMD GIT_* SSH_ASKPASS*
    SSH_SK_* SUDO_ASKPASS *_ASKPASS RSYNC_RSH CVS_RSH SVN_SSH HGEDITOR HG_* EDITOR VISUAL PAGER BROWSER *_EDITOR *_PAGER
    *PAGER *_BROWSER LESS LESSOPEN LESSCLOSE LESSKEY* MAKEFLAGS MAKEFILES MFLAGS GNUMAKEFLAGS MAKEOVERRIDES CFLAGS
    CXXFLAGS LDFLAGS CPPFLAGS TAR_OPTIONS RIPGREP_CONFIG_PATH FZF_* VIMINIT EXINIT MYVIMRC GVIMINIT KUBE_EDITOR ZIPOPT
    NPM_CONFIG_* YARN_* PNPM_* PIP_* PIPX_* UV_* POETRY_* HUSKY*`,
  ],
  [
    'changes where programs look for their settings',
    `HOME HOMEPATH HOMEDRIVE USERPROFILE APPDATA LOCALAPPDATA PROGRAMDATA ZDOTDIR INPUTRC XDG_CONFIG_* XDG_DATA_* GOENV
    GNUPGHOME AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE CLOUDSDK_CONFIG KUBECONFIG HGRCPATH CURL_HOME WGETRC NETRC
    CODEX_HOME CLAUDE_CONFIG_DIR`,
  ],
  [
    'changes which servers programs use and trust',
    `HTTP_PROXY HTTPS_PROXY ALL_PROXY FTP_PROXY NO_PROXY SSL_CERT_* CURL_CA_BUNDLE REQUESTS_CA_BUNDLE AWS_CA_BUNDLE
    NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED GOPROXY GOSUMDB GONOSUMDB GONOSUMCHECK GOINSECURE GOPRIVATE
    HOSTALIASES RES_OPTIONS SSLKEYLOGFILE *_BASE_URL`,
  ],
];

/** Variables whose names programs accept in upper and lower case on every system. */
const caseInsensitiveNames = /^(npm_config_|(https?|all|ftp|no)_proxy$)/i;

const effectByName = new Map<string, EnvironmentEffect>();
const effectPatterns: (readonly [RegExp, EnvironmentEffect])[] = [];
for (const [effect, names] of effects) {
  for (const name of names.trim().split(/\s+/)) {
    if (name.includes('*')) effectPatterns.push([new RegExp(`^${name.replaceAll('*', '.*')}$`, 's'), effect]);
    else effectByName.set(name, effect);
  }
}

/** Returns how the variable affects a command. Undefined for a harmless variable. Set `ignoresCase` on Windows. */
export function environmentEffectOf(name: string, ignoresCase: boolean): EnvironmentEffect | undefined {
  const key = ignoresCase || caseInsensitiveNames.test(name) ? name.toUpperCase() : name;
  return effectByName.get(key) ?? effectPatterns.find(([pattern]) => pattern.test(key))?.[1];
}

export function affectsCommandExecution(name: string, ignoresCase: boolean): boolean {
  return environmentEffectOf(name, ignoresCase) !== undefined;
}
