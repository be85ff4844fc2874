"""A teacher's link on the screen: where it is made, and what the page shows of one that was opened.

bar    the line at the top: whose page it is, the way back to it, on and back in a plan
panel  where it is made, by ticking
code   its QR code
"""
