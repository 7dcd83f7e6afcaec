/**
 * How long our servers keep an idle socket, in milliseconds. Longer than clients do: a request on a socket that the server is just
 * closing is lost, and only some requests can be repeated.
 */
export const keptSocketMs = 75_000;
