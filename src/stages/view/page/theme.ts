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

export function toggleTheme(store: Store | undefined): void {
  const root = document.documentElement
  const now = root.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')
  root.dataset.theme = now === 'dark' ? 'light' : 'dark'
  try {
    store?.setItem(KEY, root.dataset.theme)
  } catch {
    // The choice is not stored.
  }
}
