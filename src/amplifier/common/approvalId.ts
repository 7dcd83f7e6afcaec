/** What a server says of a request, its id as a text, as it is everywhere here. A number is kept, for the server to be sent it back. */
export function withTextId(data: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { approval_id: id } = data;
  return typeof id === 'number' ? { ...data, approval_id: String(id), wire_id: id } : data;
}
