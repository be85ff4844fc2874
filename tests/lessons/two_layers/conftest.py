import torch

torch.set_num_threads(1)  # the matrices are small: threads would only wait for each other
