/**
 * @param {string} name
 * @returns {string | undefined} of this process's environment; an empty variable counts as one that is not set
 */
export function environmentVariable(name) {
  const value = process.env[name];
  return value === '' ? undefined : value;
}

/** Whether a window can be shown. */
export function hasDisplay() {
  if (process.platform !== 'linux') return true;
  return ['DISPLAY', 'WAYLAND_DISPLAY'].some((name) => environmentVariable(name) !== undefined);
}
