/** Returns the address of a Git remote without protocol, user, password and suffix: a form that all its spellings share. */
export function plainRemote(url: string): string {
  const plain = url.replace(/^[a-z+]+:\/\//i, '').replace(/^[^/@]*@/, '');
  return plain
    .replace(/^([^/:]+):(?!\d+\/)/, '$1/')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '');
}
