const hostedSchemes = /^(?:https?|ssh|git|git\+ssh|ssh\+git|ftps?):$/;
const scpForm = /^(?:[^@/\s]+@)?([^:/\s]+):(?![:/])(\S+)$/;

/** Returns `host/owner/name` for a remote's URL, without credentials. Undefined for local, private paths. */
export function codebaseNameOf(remote: string): string | undefined {
  if (remote.includes('\\')) return undefined;
  const [host, path] = hostAndPathOf(remote);
  // A single letter is the drive of a Windows path.
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
