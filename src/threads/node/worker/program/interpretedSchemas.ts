import * as z from 'zod/mini';

/**
 * zod would compile each schema to code when it is first used. The user waits for the start of this program, in which a
 * schema is rarely used often enough to make up for that. Import this before any schema.
 */
z.config({ jitless: true });
