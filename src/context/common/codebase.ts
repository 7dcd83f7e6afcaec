/** The name of a repository by the address of its remote, `host/owner/name`. Never holds a login. */
export function codebaseOf(remote: string): string | undefined {
  const scp = /^(?:[^@/\s]+@)?([^:/\s]+):(?!\/)(\S+)$/.exec(remote);
  const url = URL.parse(remote);
  const [host, path] = url?.host ? [url.hostname, url.pathname] : [scp?.[1], scp?.[2]];
  if (!host || !path) return undefined;
  const name = path
    .replace(/^\/+/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '');
  return name === '' ? undefined : `${host}/${name}`;
}
