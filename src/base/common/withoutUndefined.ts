type WithoutUndefined<Members> = {
  [Key in keyof Members as undefined extends Members[Key] ? never : Key]: Members[Key];
} & {
  [Key in keyof Members as undefined extends Members[Key] ? Key : never]?: Exclude<Members[Key], undefined>;
};

/** Removes undefined members, for types with exact optional properties. */
export function withoutUndefined<Members extends object>(members: Members): WithoutUndefined<Members>;
export function withoutUndefined(members: object): object {
  return Object.fromEntries(Object.entries<unknown>({ ...members }).filter(([, value]) => value !== undefined));
}
