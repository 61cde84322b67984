/** The dark or light theme: the system's, or the user's choice. */
import type { Store } from './labels.ts'

const KEY = 'jb-view theme'

export function theme(store: Store | undefined): void {
  try {
    const kept = store?.getItem(KEY)
    if (kept === 'dark' || kept === 'light') document.documentElement.dataset.theme = kept
  } catch {
    // Keeps the system's theme.
  }
}

/** The theme that is not shown now. */
export function otherTheme(): 'dark' | 'light' {
  const { theme } = document.documentElement.dataset
  const now = theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')
  return now === 'dark' ? 'light' : 'dark'
}

export function toggleTheme(store: Store | undefined): void {
  const chosen = otherTheme()
  document.documentElement.dataset.theme = chosen
  try {
    store?.setItem(KEY, chosen)
  } catch {
    // The choice is not stored.
  }
}
