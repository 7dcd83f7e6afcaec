const hostedSchemes = /^(?:https?|ssh|git|git\+ssh|ssh\+git|ftps?):$/;
const scpForm = /^(?:[^@/\s]+@)?([^:/\s]+):(?![:/])(\S+)$/;

/**
 * The name of a repository by the address of its remote, `host/owner/name`. Never holds a login. None for a place on this
 * machine: its path is nobody else's business.
 */
export function codebaseOf(remote: string): string | undefined {
  if (remote.includes('\\')) return undefined;
  const [host, path] = hostAndPathOf(remote);
  // One letter is a drive of Windows.
  if (!host || host.length === 1 || !path) return undefined;
  const name = path
    .replace(/^\/+/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '');
  return name === '' ? undefined : `${host}/${name}`;
}

function hostAndPathOf(remote: string): readonly [host?: string | undefined, path?: string | undefined] {
  const url = URL.parse(remote);
  if (url?.protocol === 'file:') return [];
  if (url?.host) return hostedSchemes.test(url.protocol) ? [url.hostname, url.pathname] : [];
  const scp = scpForm.exec(remote);
  return [scp?.[1], scp?.[2]];
}
