/**
 * Takes the tokens of registries out of an environment.
 * @param {NodeJS.ProcessEnv} env which has none of them any more
 * @param {readonly { token: string }[]} registries
 * @returns {NodeJS.ProcessEnv} the tokens that it had
 */
export function takeTokens(env, registries) {
  const names = registries.map(({ token }) => token).filter((name) => env[name] !== undefined);
  const tokens = Object.fromEntries(names.map((name) => [name, env[name]]));
  for (const name of names) Reflect.deleteProperty(env, name);
  return tokens;
}
