/** Whether a URL points to this machine. */
export function isLoopback({ hostname }: Pick<URL, 'hostname'>): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/u.test(hostname);
}
