/** A part of undici that loads in a third of the time the whole takes. */
declare module 'undici/lib/dispatcher/pool.js' {
  import type { Pool } from 'undici'

  const pool: typeof Pool
  export default pool
}
