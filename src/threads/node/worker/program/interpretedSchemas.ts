import * as z from 'zod/mini';

/**
 * By default, zod compiles each schema to code when it is first used. The user waits for the start of this program, in
 * which a schema is rarely used often enough for compiling to be worthwhile. Import this before any schema.
 */
z.config({ jitless: true });
